// Preprocessing of many jets: their subjets, what trimming keeps of them, and the frame these define.
#pragma once

#include <cstdint>

namespace jetgram {

// Writes the number of its kt subjet for each momentum: 0 the hardest in its jet, and so on.
void find_subjets(const double* momenta, const std::int64_t* offsets, std::int64_t jets, double radius, int threads,
                  std::int32_t* labels);

// Writes whether each momentum is kept: its subjet has at least the pT that `min_pt` holds for its jet, or is the
// hardest of its jet.
void keep_hard_subjets(const double* momenta, const std::int64_t* offsets, std::int64_t jets,
                       const std::int32_t* labels, const double* min_pt, int threads, std::uint8_t* kept);

// Turns, boosts and reflects the momenta of each jet in place, into the frame of its three leading subjets; returns how
// many of those with two subjets were in it before.
std::int64_t align_jets(double* momenta, const std::int64_t* offsets, std::int64_t jets, const std::int32_t* labels,
                        int threads);

}  // namespace jetgram
