// Numbers in single precision, twice as many at a time as doubles.
#pragma once

#include "lanes.hpp"

namespace jetgram::JETGRAM_PATH {

inline constexpr std::int64_t single_width = 2 * width;

typedef float Singles __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));
typedef std::int32_t Words __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));
// One for each double.
typedef float HalfSingles __attribute__((vector_size(JETGRAM_LANES * sizeof(float))));
typedef std::int32_t HalfWords __attribute__((vector_size(JETGRAM_LANES * sizeof(float))));

JETGRAM_INLINE Singles load_singles(const float* from) {
    Singles values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

JETGRAM_INLINE Words load_words(const std::int32_t* from) {
    Words values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

JETGRAM_INLINE Singles fill_singles(float value) { return value - Singles{}; }

// Two halves as one vector. Spelt out where it matters: by way of memory, a processor waits for both of them.
template <class Whole, class Half>
JETGRAM_INLINE Whole joined_halves(const Half& low, const Half& high) {
#if JETGRAM_LANES == 4
    const auto first = _mm256_castps128_ps256(reinterpret_cast<__m128>(low));
    return reinterpret_cast<Whole>(_mm256_insertf128_ps(first, reinterpret_cast<__m128>(high), 1));
#else
    const Half halves[2] = {low, high};
    Whole values;
    std::memcpy(&values, halves, sizeof values);
    return values;
#endif
}

JETGRAM_INLINE Singles narrowed(const Reals& low, const Reals& high) {
    return joined_halves<Singles>(__builtin_convertvector(low, HalfSingles), __builtin_convertvector(high, HalfSingles));
}

// Without what is behind the point.
JETGRAM_INLINE Words whole_numbers(const Reals& low, const Reals& high) {
    return joined_halves<Words>(__builtin_convertvector(low, HalfWords), __builtin_convertvector(high, HalfWords));
}

#if JETGRAM_LANES == 8
JETGRAM_INLINE Singles minimum(const Singles& a, const Singles& b) { return _mm512_min_ps(a, b); }
// A choice is all bits of a lane, or none; lane 0 becomes the lowest bit.
JETGRAM_INLINE std::uint64_t bits_of(const Words& choice) {
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(choice));
}
#else
JETGRAM_INLINE Singles minimum(const Singles& a, const Singles& b) { return a < b ? a : b; }
JETGRAM_INLINE std::uint64_t bits_of(const Words& choice) {
#if JETGRAM_LANES == 4
    return static_cast<std::uint64_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(choice)));
#else
    std::uint64_t bits = 0;
    for (std::int64_t lane = 0; lane < single_width; ++lane)
        bits |= (static_cast<std::uint64_t>(choice[lane]) & 1) << lane;
    return bits;
#endif
}
#endif

// The other way round.
JETGRAM_INLINE Words choice_of(std::uint64_t bits) {
    Words bit;
    for (std::int64_t lane = 0; lane < single_width; ++lane) bit[lane] = 1 << lane;
    return (bit & static_cast<std::int32_t>(bits)) != 0;
}

JETGRAM_INLINE Singles square_root(const Singles& x) {
    Singles root;
    for (std::int64_t lane = 0; lane < single_width; ++lane) root[lane] = __builtin_sqrtf(x[lane]);
    return root;
}

// a b + c, rounded once where the machine can.
JETGRAM_INLINE Singles multiply_add(const Singles& a, const Singles& b, const Singles& c) {
#if JETGRAM_LANES == 8
    return _mm512_fmadd_ps(a, b, c);
#elif JETGRAM_LANES == 4 && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

}  // namespace jetgram::JETGRAM_PATH
