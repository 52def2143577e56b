// Several doubles at a time, in the compiler's own vector types. A kernel is a template of the vector type and is
// compiled for four lanes with AVX2 and for two lanes everywhere else, with the same rounding. Integers that take part
// are kept as doubles, because narrow instruction sets do not compare 64-bit integers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "cpu.hpp"

#define JETGRAM_INLINE [[gnu::always_inline]] inline

// Kernels are inlined: how vectors would be passed to functions does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace jetgram {

typedef double Two __attribute__((vector_size(2 * sizeof(double))));
typedef double Four __attribute__((vector_size(4 * sizeof(double))));

template <class V>
using Mask = decltype(V{} < V{});  // 64 bits a lane: all or none

template <class V>
constexpr std::int64_t width = sizeof(V) / sizeof(double);

constexpr std::int64_t largest_width = width<Four>;

// The number of slots that whole vectors take for n values.
constexpr std::int64_t padded(std::int64_t n) { return (n + largest_width - 1) / largest_width * largest_width; }

inline bool use_four_lanes() {
    static const bool avx2 = std::string_view(cpu_path()) != "portable";
    return avx2;
}

template <class V>
JETGRAM_INLINE V load(const double* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class V>
JETGRAM_INLINE void store(double* to, const V& value) {
    std::memcpy(to, &value, sizeof value);
}

template <class V>
JETGRAM_INLINE V fill(double value) {
    return V{} + value;
}

template <class V>
JETGRAM_INLINE V minimum(const V& a, const V& b) {
    return a < b ? a : b;
}

// The bits that are set in any lane.
template <class V>
JETGRAM_INLINE std::uint64_t union_of(const Mask<V>& mask) {
    std::uint64_t bits = 0;
    for (std::int64_t lane = 0; lane < width<V>; ++lane) bits |= static_cast<std::uint64_t>(mask[lane]);
    return bits;
}

JETGRAM_INLINE double absolute(double a) { return std::abs(a); }

template <class V>
JETGRAM_INLINE V absolute(const V& a) {
    return reinterpret_cast<V>(reinterpret_cast<Mask<V>>(a) & std::numeric_limits<std::int64_t>::max());
}

struct Smallest {
    double value;
    std::int64_t index;
};

// Without branches, which nobody could predict.
JETGRAM_INLINE Smallest smaller(const Smallest& a, const Smallest& b) {
    const bool is_b = (b.value < a.value) | ((b.value == a.value) & (b.index < a.index));
    const std::int64_t chosen = -static_cast<std::int64_t>(is_b);
    const auto of_a = std::bit_cast<std::int64_t>(a.value), of_b = std::bit_cast<std::int64_t>(b.value);
    return {std::bit_cast<double>((of_a & ~chosen) | (of_b & chosen)), (a.index & ~chosen) | (b.index & chosen)};
}

// The smallest of many values, and of equal ones the first. Infinity counts as nothing; with nothing the index is 0.
template <class V>
class SmallestSoFar {
  public:
    // The next values; their indices follow those of the values before.
    JETGRAM_INLINE void take(const V& values) {
        const Mask<V> less = values < values_;
        values_ = less ? values : values_;
        indices_ = less ? next_ : indices_;
        next_ += static_cast<double>(width<V>);
    }

    // The same without the value of one index.
    JETGRAM_INLINE void take_but(std::int64_t index, const V& values) {
        take(next_ == fill<V>(static_cast<double>(index)) ? fill<V>(std::numeric_limits<double>::infinity()) : values);
    }

    JETGRAM_INLINE Smallest result() const {
        SmallestSoFar best = *this;
        for (std::int64_t half = width<V> / 2; half > 0; half /= 2) best.merge_lanes(half);
        return {best.values_[0], static_cast<std::int64_t>(best.indices_[0])};
    }

  private:
    // Gives each lane the better of its own value and that of the lane `half` further.
    JETGRAM_INLINE void merge_lanes(std::int64_t half) {
        const V values = rotated(values_, half), indices = rotated(indices_, half);
        const Mask<V> better = (values < values_) | ((values == values_) & (indices < indices_));
        values_ = better ? values : values_;
        indices_ = better ? indices : indices_;
    }

    JETGRAM_INLINE static V rotated(const V& v, std::int64_t lanes) {
        V result;
        for (std::int64_t lane = 0; lane < width<V>; ++lane) result[lane] = v[(lane + lanes) % width<V>];
        return result;
    }

    JETGRAM_INLINE static V first_indices() {
        V result;
        for (std::int64_t lane = 0; lane < width<V>; ++lane) result[lane] = static_cast<double>(lane);
        return result;
    }

    V values_ = fill<V>(std::numeric_limits<double>::infinity());
    V indices_{};
    V next_ = first_indices();
};

}  // namespace jetgram
