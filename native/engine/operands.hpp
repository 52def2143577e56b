// What node products read, start from and do with their sums, where that is nothing special.
#pragma once

#include "path.hpp"
#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

// Input: rows base, base + stride, ...
template <class T>
JETGRAM_INLINE auto rows_of(T* base, std::ptrdiff_t stride) {
    return [base, stride](int row) JETGRAM_LAMBDA { return base + row * stride; };
}

// Start from zero, from the bias of a map, or from what is already there.
JETGRAM_INLINE auto from_zero() {
    return []<class V>(As<V>, int, int) JETGRAM_LAMBDA { return V{}; };
}

JETGRAM_INLINE auto from_bias(const Linear& map) {
    return [bias = map.bias](auto as, int, int column) JETGRAM_LAMBDA { return load(as, bias + column); };
}

JETGRAM_INLINE auto from_rows(const float* base, std::ptrdiff_t stride) {
    return [=](auto as, int row, int column) JETGRAM_LAMBDA { return load(as, base + row * stride + column); };
}

// Store the sums in rows, as they are or rectified.
JETGRAM_INLINE auto into_rows(float* base, std::ptrdiff_t stride) {
    return [=](int row, int column, auto sum) JETGRAM_LAMBDA { store(base + row * stride + column, sum); };
}

JETGRAM_INLINE auto rectified_into_rows(float* base, std::ptrdiff_t stride) {
    return [=](int row, int column, auto sum) JETGRAM_LAMBDA { store(base + row * stride + column, relu(sum)); };
}

// Store the rectified sums at an offset a row.
JETGRAM_INLINE auto rectified_into(float* base, const std::ptrdiff_t* offset) {
    return [=](int row, int column, auto sum) JETGRAM_LAMBDA { store(base + offset[row] + column, relu(sum)); };
}

}  // namespace jetgram::engine::JETGRAM_PATH
