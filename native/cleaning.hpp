// Jets without what no detector could see: ultra-soft constituents, and pairs too close to be told apart.
#pragma once

#include <cstdint>

namespace jetgram {

// Fills the sums (n, 4) of constituents closer than a distance, each at its lowest index, and the number of its hardest
// member (n); -1 where there is no sum, or one below min_pt that is not the hardest of its jet.
void clean(const double* momenta, const std::int64_t* offsets, std::int64_t jets, double min_pt, double distance,
           int threads, double* sums, std::int64_t* hardest);

// Moves what has a number to the front, in its order; fills the offsets (jets + 1) that jets have then.
void compress(const std::int64_t* offsets, std::int64_t jets, double* sums, std::int64_t* hardest,
              std::int64_t* new_offsets);

}  // namespace jetgram
