// A vector of floats: eight with AVX2 and AVX-512, else four. With AVX-512 tiles of sums use registers of sixteen
// (tile_row.hpp); all else stays eight wide, so that rows need no more padding.
//
// Everything in the kernel headers lives in namespace JETGRAM_PATH, which each translation unit defines before it
// includes them. So no inline function of one path can be merged by the linker with that of another.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define JETGRAM_HAS_AVX2 1
#else
#define JETGRAM_HAS_AVX2 0
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define JETGRAM_HAS_AVX512 1
#define JETGRAM_REGISTER "+v"  // any of thirty-two
#else
#define JETGRAM_HAS_AVX512 0
#define JETGRAM_REGISTER "+x"
#endif

#define JETGRAM_INLINE inline __attribute__((always_inline))
#define JETGRAM_LAMBDA __attribute__((always_inline))
#define JETGRAM_UNROLL _Pragma("GCC unroll 8")

namespace jetgram::engine::JETGRAM_PATH {

inline constexpr int WIDTH = JETGRAM_HAS_AVX2 ? 8 : 4;

typedef float Vec __attribute__((vector_size(4 * WIDTH)));
typedef std::int32_t Bits __attribute__((vector_size(4 * WIDTH)));
typedef float UnalignedVec __attribute__((vector_size(4 * WIDTH), aligned(4)));  // aliases float, as its elements

JETGRAM_INLINE Vec load(const float* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
JETGRAM_INLINE void store(float* p, Vec x) { *reinterpret_cast<UnalignedVec*>(p) = x; }
JETGRAM_INLINE Vec zero() { return Vec{}; }

#if JETGRAM_HAS_AVX2
JETGRAM_INLINE Vec splat(float x) { return _mm256_set1_ps(x); }
JETGRAM_INLINE Vec broadcast(const float* p) { return _mm256_broadcast_ss(p); }
JETGRAM_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
// Both return b where a is NaN or b is NaN: a broken number must stay visible.
JETGRAM_INLINE Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
JETGRAM_INLINE Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
#else
JETGRAM_INLINE Vec splat(float x) { return Vec{x, x, x, x}; }
JETGRAM_INLINE Vec broadcast(const float* p) { return splat(*p); }
JETGRAM_INLINE Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
JETGRAM_INLINE Vec choose(Bits mask, Vec a, Vec b) { return (Vec)((mask & (Bits)a) | (~mask & (Bits)b)); }
JETGRAM_INLINE Vec max(Vec a, Vec b) { return choose(a > b, a, b); }
JETGRAM_INLINE Vec min(Vec a, Vec b) { return choose(a < b, a, b); }
#endif

JETGRAM_INLINE Vec relu(Vec x) { return max(zero(), x); }

// x where the activation is positive, else 0: the gradient through a rectifier.
JETGRAM_INLINE Vec where_positive(Vec activation, Vec x) { return (Vec)((activation > zero()) & (Bits)x); }

// Stops the compiler from folding a weight's load into each multiply-add that uses it: one load, many uses.
template <class Register>
JETGRAM_INLINE void keep_in_register([[maybe_unused]] Register& x) {
#if defined(__x86_64__)
    asm("" : JETGRAM_REGISTER(x));
#endif
}

}  // namespace jetgram::engine::JETGRAM_PATH
