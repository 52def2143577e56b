// One row of a register tile: V vectors of sums or factors, in as few registers as the path needs for them.
//
// AVX-512 takes vectors in pairs. An element sees the same multiply-adds in the same order as with AVX2, so that both
// paths give the same bits.
#pragma once

#include "panels.hpp"
#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

#if JETGRAM_HAS_AVX512

// Three registers by eight rows: 24 sums out of 32 registers, and 11 loads for 24 multiply-adds.
inline constexpr PanelShape SHAPE{WIDTH, 2 * WIDTH, 3};

// Rows of a tile that is so many vectors wide.
constexpr int tile_rows(int) { return 8; }

typedef float Pair __attribute__((vector_size(8 * WIDTH)));

template <int V>
struct TileRow {
    static constexpr int PAIRS = V / 2, REGISTERS = (V + 1) / 2;
    static constexpr bool ODD = V % 2 == 1;
    Pair pair[REGISTERS];  // of the last one, the lower half counts where V is odd

    JETGRAM_INLINE static TileRow load(const float* p) {
        TileRow row;
        JETGRAM_UNROLL
        for (int i = 0; i < PAIRS; ++i) row.pair[i] = _mm512_loadu_ps(p + 2 * WIDTH * i);
        if constexpr (ODD) row.pair[PAIRS] = _mm512_castps256_ps512(_mm256_loadu_ps(p + 2 * WIDTH * PAIRS));
        return row;
    }

    // element(v) gives vector v.
    template <class Element>
    JETGRAM_INLINE static TileRow from(const Element& element) {
        TileRow row;
        JETGRAM_UNROLL
        for (int i = 0; i < PAIRS; ++i)
            row.pair[i] = _mm512_insertf32x8(_mm512_castps256_ps512(element(2 * i)), element(2 * i + 1), 1);
        if constexpr (ODD) row.pair[PAIRS] = _mm512_castps256_ps512(element(V - 1));
        return row;
    }

    // Calls put(v, vector v).
    template <class Put>
    JETGRAM_INLINE void each(const Put& put) const {
        JETGRAM_UNROLL
        for (int i = 0; i < PAIRS; ++i) {
            put(2 * i, _mm512_castps512_ps256(pair[i]));
            put(2 * i + 1, _mm512_extractf32x8_ps(pair[i], 1));
        }
        if constexpr (ODD) put(V - 1, _mm512_castps512_ps256(pair[PAIRS]));
    }
};

// sum[n] += factor[n] * weight: the row of weights stays in registers, each factor comes and goes.
template <int N, int V, class Factor>
JETGRAM_INLINE void multiply_add(const Factor& factor, const float* weights, TileRow<V> (&sum)[N]) {
    TileRow<V> weight = TileRow<V>::load(weights);
    JETGRAM_UNROLL
    for (int i = 0; i < TileRow<V>::REGISTERS; ++i)
        if constexpr (N > 1) keep_in_register(weight.pair[i]);
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) {
        const Pair x = _mm512_set1_ps(*factor(n));
        JETGRAM_UNROLL
        for (int i = 0; i < TileRow<V>::PAIRS; ++i) sum[n].pair[i] = _mm512_fmadd_ps(x, weight.pair[i], sum[n].pair[i]);
        if constexpr (TileRow<V>::ODD) {
            Pair& last = sum[n].pair[TileRow<V>::PAIRS];
            last = _mm512_castps256_ps512(_mm256_fmadd_ps(_mm512_castps512_ps256(x),
                                                          _mm512_castps512_ps256(weight.pair[TileRow<V>::PAIRS]),
                                                          _mm512_castps512_ps256(last)));
        }
    }
}

#else

// Five vectors by two rows: ten independent sums out of sixteen registers, enough to hide the latency of a
// multiply-add, and 7 loads for 10 of them.
inline constexpr PanelShape SHAPE{WIDTH, WIDTH, 5};

// Rows of a tile that is so many vectors wide: about ten sums, and no more registers than there are.
constexpr int tile_rows(int vectors) {
    if (vectors >= 4) return 2;
    return vectors == 3 ? 3 : 4;
}

template <int V>
struct TileRow {
    Vec vector[V];

    JETGRAM_INLINE static TileRow load(const float* p) {
        return from([=](int v) JETGRAM_LAMBDA { return JETGRAM_PATH::load(p + v * WIDTH); });
    }

    // element(v) gives vector v.
    template <class Element>
    JETGRAM_INLINE static TileRow from(const Element& element) {
        TileRow row;
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) row.vector[v] = element(v);
        return row;
    }

    // Calls put(v, vector v).
    template <class Put>
    JETGRAM_INLINE void each(const Put& put) const {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) put(v, vector[v]);
    }
};

// sum[n] += factor[n] * weight: the factors stay in registers, each vector of weights comes and goes.
template <int N, int V, class Factor>
JETGRAM_INLINE void multiply_add(const Factor& factor, const float* weights, TileRow<V> (&sum)[N]) {
    Vec x[N];
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) x[n] = broadcast(factor(n));
    JETGRAM_UNROLL
    for (int v = 0; v < V; ++v) {
        Vec weight = load(weights + v * WIDTH);
        if constexpr (N > 1) keep_in_register(weight);
        JETGRAM_UNROLL
        for (int n = 0; n < N; ++n) sum[n].vector[v] = fma(x[n], weight, sum[n].vector[v]);
    }
}

#endif

}  // namespace jetgram::engine::JETGRAM_PATH
