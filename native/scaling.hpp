// Scaling of columns; inputs/scaler.py says what it is.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"

namespace jetgram {

// Scales columns: x' = (x - center) / scale, cut off at -limit and limit. Where there is such a limit, one that is not
// infinite, NaN becomes 0.
class ColumnScaling {
  public:
    ColumnScaling(std::int64_t columns, const float* center, const float* scale, const float* limit);

    // One of each per column.
    ColumnNumbers numbers() const { return {centers_.data(), scales_.data(), limits_.data()}; }

    // So many rows in place.
    void apply(float* rows, std::int64_t count) const;

  private:
    std::int64_t columns_;
    std::vector<float> centers_, scales_, limits_;
};

// Scales rows of columns in place.
void scale_rows(float* rows, std::int64_t count, std::int64_t columns, const float* center, const float* scale,
                const float* limit, int threads);

}  // namespace jetgram
