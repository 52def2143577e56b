// Scaling of columns; inputs/scaler.py says what it is.
#pragma once

#include <cstdint>

namespace jetgram {

// Scales rows of columns in place: x' = (x - center) / scale, cut off at -limit and limit. Where there is such a limit,
// one that is not infinite, NaN becomes 0.
void scale_rows(float* rows, std::int64_t count, std::int64_t columns, const float* center, const float* scale,
                const float* limit, int threads);

}  // namespace jetgram
