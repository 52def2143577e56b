// Generalised-kt clustering of one jet with infinite radius: kt, Cambridge/Aachen and anti-kt.
//
// d_ij = min(pT_i^2p, pT_j^2p) Delta_ij^2, and the pair of smallest d_ij is joined until one momentum is left. That pair
// is always made of a momentum and its nearest neighbour in the plane of rapidity and azimuth (hep-ph/0512210), so only
// neighbours are kept: memory O(N), time O(N^2).
//
// Equal distances are settled as FastJet's plain N^2 strategy does. Slots 0, 1, ... hold the momenta that are left. The
// first slot with the smallest d_ij is joined with its neighbour: the sum goes into the lower of the two slots, the last
// momentum into the other. A neighbour is the first of the nearest slots; it is kept until it is joined itself or a sum
// comes strictly nearer. trees/reference.py says the same in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree.hpp"

namespace jetgram {

enum class Power { kt, cambridge_aachen, anti_kt };

class GeneralisedKt {
  public:
    explicit GeneralisedKt(Power power) : power_(power) {}

    void build(Tree& tree);

    // What is known of the momentum in each slot, array by array.
    struct Slots {
        double* rapidity;
        double* phi;
        double* scale;     // pT^2p
        double* distance;  // squared, to the nearest neighbour
        double* dij;       // with the nearest neighbour
        double* neighbour;
        std::int64_t* node;
        std::uint64_t* marks;
    };

  private:
    struct alignas(64) CacheLine {
        std::byte bytes[64];
    };

    Slots slots_for(std::int64_t n);

    Power power_;
    std::vector<CacheLine> memory_;  // kept from jet to jet
};

}  // namespace jetgram
