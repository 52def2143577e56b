// A vector of floats: eight with AVX2 and AVX-512, else four. Rows are padded to whole vectors. AVX-512 also has wide
// vectors of sixteen, and takes two neighbouring vectors of a row as one where there are two. What is written for any
// vector is a template, whose V is Vec or Wide.
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

// x where the activation is positive, else 0: the gradient through a rectifier.
JETGRAM_INLINE Vec where_positive(Vec activation, Vec x) { return (Vec)((activation > zero()) & (Bits)x); }

#if JETGRAM_HAS_AVX512
typedef float Wide __attribute__((vector_size(8 * WIDTH)));

JETGRAM_INLINE void store(float* p, Wide x) { _mm512_storeu_ps(p, x); }
JETGRAM_INLINE Wide fma(Wide a, Wide b, Wide c) { return _mm512_fmadd_ps(a, b, c); }
JETGRAM_INLINE Wide max(Wide a, Wide b) { return _mm512_max_ps(a, b); }
JETGRAM_INLINE Wide min(Wide a, Wide b) { return _mm512_min_ps(a, b); }
JETGRAM_INLINE Wide where_positive(Wide activation, Wide x) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(activation, Wide{}, _CMP_GT_OQ), x);
}
JETGRAM_INLINE Wide join(Vec a, Vec b) { return _mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1); }
JETGRAM_INLINE Vec lower(Wide x) { return _mm512_castps512_ps256(x); }
JETGRAM_INLINE Vec upper(Wide x) { return _mm512_extractf32x8_ps(x, 1); }
#else
typedef Vec Wide;
#endif

// The name of a type of vectors, to choose a function by.
template <class V>
struct As {};

JETGRAM_INLINE Vec load(As<Vec>, const float* p) { return load(p); }
JETGRAM_INLINE Vec splat(As<Vec>, float x) { return splat(x); }
#if JETGRAM_HAS_AVX512
JETGRAM_INLINE Wide load(As<Wide>, const float* p) { return _mm512_loadu_ps(p); }
JETGRAM_INLINE Wide splat(As<Wide>, float x) { return _mm512_set1_ps(x); }
#endif

// A row's elements from p on as a vector like the given one.
template <class V>
JETGRAM_INLINE V load_like(V, const float* p) {
    return load(As<V>{}, p);
}

template <class V>
JETGRAM_INLINE V relu(V x) {
    return max(V{}, x);
}

// Calls work(As<V>, first column) until all columns, whole vectors, are covered.
template <class Work>
JETGRAM_INLINE void for_each_vector(int columns, const Work& work) {
    constexpr int STEP = sizeof(Wide) / sizeof(float);
    int column = 0;
    for (; column + STEP <= columns; column += STEP) work(As<Wide>{}, column);
    if constexpr (STEP > WIDTH)
        if (column < columns) work(As<Vec>{}, column);
}

// Stops the compiler from folding a weight's load into each multiply-add that uses it: one load, many uses.
template <class Register>
JETGRAM_INLINE void keep_in_register([[maybe_unused]] Register& x) {
#if defined(__x86_64__)
    asm("" : JETGRAM_REGISTER(x));
#endif
}

}  // namespace jetgram::engine::JETGRAM_PATH
