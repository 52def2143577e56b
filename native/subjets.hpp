// Subjets of one jet: inclusive kt clustering of its constituents with a finite radius.
//
// d_ij = min(pT_i^2, pT_j^2) Delta_ij^2 / R^2 and d_iB = pT_i^2: the smallest is taken, and joins two momenta or makes
// one a subjet, until none is left. Only nearest neighbours within R are kept: O(N) memory, O(N^2) time.
#pragma once

#include <cstdint>
#include <memory>

namespace jetgram {

// The active momenta of the jet at work, reused from jet to jet.
//
// Equal distances are settled by slots. Slots 0..n-1 hold the active momenta; a join puts the new momentum into the
// lower of the two slots, and the last momentum moves into a slot that fell empty. The first slot with the smallest d is
// taken; a neighbour is the first of the nearest slots, and is kept until a strictly nearer momentum appears.
class KtSubjets {
  public:
    explicit KtSubjets(double radius);
    ~KtSubjets();

    // Writes the number of its subjet for each of n momenta: 0 the hardest, and so on; of equal pT the one found first.
    void label(const double* momenta, std::int64_t n, std::int32_t* labels);

  private:
    struct Scratch;
    double radius2_;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace jetgram
