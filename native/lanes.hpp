// Four doubles at a time, in the compiler's own vector types: the same source gives AVX2 where a function is compiled
// for it and narrower instructions elsewhere, with the same rounding everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#define JETGRAM_INLINE [[gnu::always_inline]] inline

// Everything here is inlined: how vectors would be passed to functions does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace jetgram {

constexpr std::int64_t lane_count = 4;

typedef double Lanes __attribute__((vector_size(lane_count * sizeof(double))));
typedef std::int64_t Indices __attribute__((vector_size(lane_count * sizeof(std::int64_t))));

// The number of slots that whole vectors take for n values.
constexpr std::int64_t padded(std::int64_t n) { return (n + lane_count - 1) / lane_count * lane_count; }

JETGRAM_INLINE Lanes load(const double* from) {
    Lanes value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

JETGRAM_INLINE Indices load(const std::int64_t* from) {
    Indices value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

JETGRAM_INLINE void store(double* to, const Lanes& value) { std::memcpy(to, &value, sizeof value); }
JETGRAM_INLINE void store(std::int64_t* to, const Indices& value) { std::memcpy(to, &value, sizeof value); }

JETGRAM_INLINE double minimum(double a, double b) { return a < b ? a : b; }
JETGRAM_INLINE Lanes minimum(const Lanes& a, const Lanes& b) { return a < b ? a : b; }

JETGRAM_INLINE double absolute(double a) { return std::abs(a); }
JETGRAM_INLINE Lanes absolute(const Lanes& a) {
    return reinterpret_cast<Lanes>(reinterpret_cast<Indices>(a) & std::numeric_limits<std::int64_t>::max());
}

template <int a, int b, int c, int d, class T>
JETGRAM_INLINE T shuffled(const T& v) {
    return T{v[a], v[b], v[c], v[d]};
}

struct Smallest {
    double value;
    std::int64_t index;
};

JETGRAM_INLINE Smallest smaller(const Smallest& a, const Smallest& b) {
    return b.value < a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

// The smallest of many values, and of equal ones the first. Infinity counts as nothing; with nothing the index is 0.
class SmallestSoFar {
  public:
    JETGRAM_INLINE void take(const Lanes& values, std::int64_t first) {
        const Indices less = values < values_;
        values_ = less ? values : values_;
        indices_ = less ? first + Indices{0, 1, 2, 3} : indices_;
    }

    JETGRAM_INLINE Smallest result() const {
        SmallestSoFar best = *this;
        best.merge(shuffled<2, 3, 0, 1>(best.values_), shuffled<2, 3, 0, 1>(best.indices_));
        best.merge(shuffled<1, 0, 3, 2>(best.values_), shuffled<1, 0, 3, 2>(best.indices_));
        return {best.values_[0], best.indices_[0]};
    }

  private:
    JETGRAM_INLINE void merge(const Lanes& values, const Indices& indices) {
        const Indices better = (values < values_) | ((values == values_) & (indices < indices_));
        values_ = better ? values : values_;
        indices_ = better ? indices : indices_;
    }

    Lanes values_ = Lanes{} + std::numeric_limits<double>::infinity();
    Indices indices_{};
};

}  // namespace jetgram
