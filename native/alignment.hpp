// The frame of one jet: its leading subjet along x, the second one beside it towards -y, the third one at pz > 0.
#pragma once

#include <cstdint>

namespace jetgram {

// Turns, boosts and reflects n momenta in place. `labels` number each momentum's subjet: 0 the first, 1 the second, ...
// Returns whether the jet has two subjets or more and was in this frame before.
bool align(double* momenta, const std::int32_t* labels, std::int64_t n);

}  // namespace jetgram
