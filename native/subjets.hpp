// Subjets of one jet: inclusive kt clustering of its constituents with a finite radius.
#pragma once

#include <cstdint>
#include <vector>

#include "generalised_kt.hpp"

namespace jetgram {

// Finds the subjets of one jet after the other, and keeps its memory.
class KtSubjets {
  public:
    explicit KtSubjets(double radius) : clustering_(Power::kt, radius) {}

    // Writes the number of its subjet for each of n momenta: 0 the hardest, and so on; of equal pT the one found first.
    void label(const double* momenta, std::int64_t n, std::int32_t* labels);

  private:
    struct Subjet {
        double pt2;
        std::int64_t node;
    };

    GeneralisedKt clustering_;
    std::vector<double> nodes_;
    std::vector<std::int32_t> children_, labels_;
    std::vector<Subjet> subjets_;
};

}  // namespace jetgram
