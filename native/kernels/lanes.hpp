// Several doubles at a time: eight with AVX-512, four with AVX2, two everywhere else; always with the same rounding.
//
// Everything in the kernel headers lives in namespace JETGRAM_PATH, which each translation unit defines before it
// includes them, so that the linker cannot merge functions compiled for different machines. Integers that take
// part are kept as doubles, because narrow instruction sets do not compare 64-bit integers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "../inlining.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define JETGRAM_LANES 8
#elif defined(__AVX2__)
#define JETGRAM_LANES 4
#else
#define JETGRAM_LANES 2
#endif

// Kernels are inlined: how vectors would be passed to functions does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#if JETGRAM_LANES == 8 && !defined(__clang__)
// The compiler's own header leaves registers undefined on purpose, and older versions of it warn of that.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace jetgram::JETGRAM_PATH {

inline constexpr std::int64_t width = JETGRAM_LANES;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

typedef double Reals __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));
typedef std::int64_t Integers __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));
typedef std::uint64_t Bits __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));  // whose sums may wrap around

JETGRAM_INLINE Reals load(const double* from) {
    Reals values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

JETGRAM_INLINE Integers load(const std::int64_t* from) {
    Integers values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

JETGRAM_INLINE void store(double* to, const Reals& values) { std::memcpy(to, &values, sizeof values); }

JETGRAM_INLINE Reals fill(double value) { return value - Reals{}; }

// 0, 1, 2, ...
JETGRAM_INLINE Reals first_indices() {
    Reals values;
    for (std::int64_t lane = 0; lane < width; ++lane) values[lane] = static_cast<double>(lane);
    return values;
}

// One number of each lane.
template <class Number>
JETGRAM_INLINE Reals lanes_of(Number&& number) {
    Reals values;
    for (std::int64_t lane = 0; lane < width; ++lane) values[lane] = number(lane);
    return values;
}

// A choice says yes or no in each lane; bits_of() has lane 0 in its lowest bit.
#if JETGRAM_LANES == 8
using Choice = __mmask8;
JETGRAM_INLINE Choice less(const Reals& a, const Reals& b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
JETGRAM_INLINE Choice equal(const Reals& a, const Reals& b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
JETGRAM_INLINE Reals choose(Choice choice, const Reals& a, const Reals& b) {
    return _mm512_mask_blend_pd(choice, b, a);
}
JETGRAM_INLINE std::uint64_t bits_of(Choice choice) { return choice; }
JETGRAM_INLINE Choice choice_of(const Integers& flags) {
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(flags));
}
JETGRAM_INLINE Choice only(std::int64_t lane) { return static_cast<Choice>(1u << lane); }
JETGRAM_INLINE Reals minimum(const Reals& a, const Reals& b) { return _mm512_min_pd(a, b); }
JETGRAM_INLINE Reals maximum(const Reals& a, const Reals& b) { return _mm512_max_pd(a, b); }
JETGRAM_INLINE double lowest(const Reals& values) { return _mm512_reduce_min_pd(values); }
JETGRAM_INLINE double first_of(Choice choice, const Reals& values) {
    return _mm512_cvtsd_f64(_mm512_maskz_compress_pd(choice, values));
}
#else
using Choice = decltype(Reals{} < Reals{});  // all bits of a lane, or none
JETGRAM_INLINE Choice less(const Reals& a, const Reals& b) { return a < b; }
JETGRAM_INLINE Choice equal(const Reals& a, const Reals& b) { return a == b; }
JETGRAM_INLINE Reals choose(const Choice& choice, const Reals& a, const Reals& b) { return choice ? a : b; }
JETGRAM_INLINE Reals minimum(const Reals& a, const Reals& b) { return a < b ? a : b; }
JETGRAM_INLINE Reals maximum(const Reals& a, const Reals& b) { return a > b ? a : b; }
JETGRAM_INLINE Choice choice_of(const Integers& flags) { return reinterpret_cast<Choice>(flags); }  // -1 or 0
inline constexpr std::int64_t window[] = {0, 0, 0, -1, 0, 0, 0};
JETGRAM_INLINE Choice only(std::int64_t lane) {
    Choice choice;
    std::memcpy(&choice, window + 3 - lane, sizeof choice);
    return choice;
}
#if JETGRAM_LANES == 4
JETGRAM_INLINE std::uint64_t bits_of(const Choice& choice) {
    return static_cast<std::uint64_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(choice)));
}
#else
JETGRAM_INLINE std::uint64_t bits_of(const Choice& choice) {
    return (static_cast<std::uint64_t>(choice[0]) & 1) | (static_cast<std::uint64_t>(choice[1]) & 2);
}
#endif
JETGRAM_INLINE double lowest(Reals values) {
    for (std::int64_t half = width / 2; half > 0; half /= 2) {
        Reals others;
        for (std::int64_t lane = 0; lane < width; ++lane) others[lane] = values[(lane + half) % width];
        values = minimum(values, others);
    }
    return values[0];
}
#endif

#if defined(__x86_64__)
// Spelt out: a comparison may become a branch, which nobody could predict.
JETGRAM_INLINE double minimum(double a, double b) { return _mm_cvtsd_f64(_mm_min_sd(_mm_set_sd(a), _mm_set_sd(b))); }
#else
JETGRAM_INLINE double minimum(double a, double b) { return a < b ? a : b; }
#endif
JETGRAM_INLINE double absolute(double a) { return __builtin_fabs(a); }
JETGRAM_INLINE Reals absolute(const Reals& a) {
    return reinterpret_cast<Reals>(reinterpret_cast<Integers>(a) & std::numeric_limits<std::int64_t>::max());
}

// Changes one lane of a vector in memory. The vector is written whole: a processor has to wait before it reads a vector
// of which a part was written just before.
JETGRAM_INLINE void put(Reals& values, const Choice& lane, double value) {
    Reals changed = choose(lane, fill(value), values);
#if defined(__x86_64__)
    asm("" : "+v"(changed));  // else the compiler would write the lane alone
#endif
    values = changed;
}

// a b + c, rounded once where the machine can: for numbers that need not be the same on all paths.
JETGRAM_INLINE Reals multiply_add(const Reals& a, const Reals& b, const Reals& c) {
#if JETGRAM_LANES == 8
    return _mm512_fmadd_pd(a, b, c);
#elif JETGRAM_LANES == 4 && defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
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
class SmallestSoFar {
  public:
    // Values with their indices, which are higher than those before.
    JETGRAM_INLINE void take(const Reals& values, const Reals& indices) {
        indices_ = choose(less(values, values_), indices, indices_);
        values_ = minimum(values, values_);
    }

    JETGRAM_INLINE Smallest result() const {
        const double value = lowest(values_);
        const Choice where = equal(values_, fill(value));
#if JETGRAM_LANES == 8
        if (std::has_single_bit(bits_of(where))) return {value, static_cast<std::int64_t>(first_of(where, indices_))};
#endif
        return {value, static_cast<std::int64_t>(lowest(choose(where, indices_, fill(infinity))))};
    }

  private:
    Reals values_ = fill(infinity);
    Reals indices_{};
};

}  // namespace jetgram::JETGRAM_PATH
