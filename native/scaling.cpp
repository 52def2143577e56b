#include "scaling.hpp"

#include <algorithm>
#include <limits>

#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t pattern_rows = 16;  // scaled together, so that any number of columns makes whole vectors
constexpr std::int64_t rows_at_a_time = 1 << 12;

std::vector<float> repeated(const float* values, std::int64_t columns) {
    std::vector<float> pattern;
    for (std::int64_t row = 0; row < pattern_rows; ++row) pattern.insert(pattern.end(), values, values + columns);
    return pattern;
}

void scale_some(float* x, std::int64_t n, const float* center, const float* scale, const float* limit) {
    for (std::int64_t i = 0; i < n; ++i) {
        const float scaled = (x[i] - center[i]) / scale[i];
        const float below = scaled < limit[i] ? scaled : limit[i];
        const float cut = below > -limit[i] ? below : -limit[i];
        const float number = limit[i] < std::numeric_limits<float>::infinity() ? 0.0f : scaled;
        x[i] = scaled == scaled ? cut : number;
    }
}

}  // namespace

ColumnScaling::ColumnScaling(std::int64_t columns, const float* center, const float* scale, const float* limit)
    : columns_(columns),
      centers_(repeated(center, columns)),
      scales_(repeated(scale, columns)),
      limits_(repeated(limit, columns)) {}

void ColumnScaling::apply(float* rows, std::int64_t count) const {
    for (std::int64_t row = 0; row < count; row += pattern_rows)
        scale_some(rows + row * columns_, std::min(pattern_rows, count - row) * columns_, centers_.data(),
                   scales_.data(), limits_.data());
}

void scale_rows(float* rows, std::int64_t count, std::int64_t columns, const float* center, const float* scale,
                const float* limit, int threads) {
    const ColumnScaling scaling(columns, center, scale, limit);
    parallel_blocks(count, rows_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        scaling.apply(rows + begin * columns, end - begin);
    });
}

}  // namespace jetgram
