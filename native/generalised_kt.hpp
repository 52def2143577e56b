// Generalised-kt clustering of one jet, with infinite radius or a finite one: kt, Cambridge/Aachen and anti-kt.
//
// d_ij = min(pT_i^2p, pT_j^2p) Delta_ij^2 / R^2 and d_iB = pT_i^2p: the smallest joins two momenta or makes one a jet,
// until none is left; with infinite radius, all are joined. A pair that is joined is always made of a momentum and its
// nearest neighbour in the plane of rapidity and azimuth (hep-ph/0512210), so only neighbours are kept: memory O(N),
// time O(N^2).
//
// Equal distances are settled as FastJet's plain N^2 strategy does. Slots 0, 1, ... hold the momenta that are left. The
// first slot with the smallest d is joined with its neighbour: the sum goes into the lower of the two slots, the last
// momentum into the other; or, without a neighbour within the radius, is a jet, and the last momentum goes into its slot. A
// neighbour is the first of the nearest slots; it is kept until it is joined itself or a sum
// comes strictly nearer. trees/reference.py says the same in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/kernels.hpp"
#include "tree.hpp"

namespace jetgram {

class GeneralisedKt {
  public:
    explicit GeneralisedKt(Power power, double radius = std::numeric_limits<double>::infinity())
        : power_(power), radius2_(radius * radius) {}

    // With a finite radius the tree may stay in several pieces: see jets().
    void build(Tree& tree);
    // The same where the places of the leaves are known.
    void build(Tree& tree, const Place* leaves);

    // Where the nodes of the last tree lie in the plane, one place per node.
    const Place* places() const { return places_.data(); }

    // The nodes of the last tree that became jets, in that order.
    const std::vector<std::int64_t>& jets() const { return jets_; }

  private:
    struct alignas(64) CacheLine {
        std::byte bytes[64];
    };

    Slots slots_for(std::int64_t n);
    void cluster_placed(Tree& tree);

    Power power_;
    double radius2_;
    std::vector<CacheLine> memory_;  // kept from jet to jet
    std::vector<std::int64_t> node_;
    std::vector<std::uint64_t> lost_;
    std::vector<Place> places_;
    std::vector<std::int64_t> jets_;
};

}  // namespace jetgram
