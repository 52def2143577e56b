// One row of a register tile: V vectors of sums or factors, in as few registers as the path needs for them.
//
// AVX-512 takes two vectors as one wide one. An element sees the same multiply-adds in the same order as with AVX2, so
// that both paths give the same bits.
#pragma once

#include "panels.hpp"
#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

#if JETGRAM_HAS_AVX512

// Three registers by eight rows: 24 sums out of 32 registers, and 11 loads for 24 multiply-adds.
inline constexpr PanelShape SHAPE{WIDTH, 2 * WIDTH, 3};

// Rows of a tile that is so many vectors wide.
constexpr int tile_rows(int) { return 8; }

// Rows of the next smaller tile.
constexpr int fewer_rows(int rows) { return rows == 8 ? 4 : rows - 1; }

// Whether a tile of so many rows comes next where so many are left. Tiles of one or two rows have too few sums to hide
// the latency of a multiply-add: nine rows are three by three, not eight and one.
constexpr bool takes_tile(int rows, int left) {
    if (rows == 8) return left >= 8 && left != 9 && left != 10;
    if (rows == 4) return left == 4 || left == 7 || left == 10;
    return left >= rows;
}

template <int V>
struct TileRow {
    static constexpr int STEP = 2 * WIDTH, WIDES = V / 2, REGISTERS = (V + 1) / 2;
    static constexpr bool ODD = V % 2 == 1;
    Wide wide[REGISTERS];  // of the last one, the lower half counts where V is odd

    // Not by way of `from`: GCC would keep a copy of every row of weights on the stack.
    JETGRAM_INLINE static TileRow load(const float* p) {
        TileRow row;
        JETGRAM_UNROLL
        for (int i = 0; i < WIDES; ++i) row.wide[i] = _mm512_loadu_ps(p + STEP * i);
        if constexpr (ODD) row.wide[WIDES] = _mm512_castps256_ps512(_mm256_loadu_ps(p + STEP * WIDES));
        return row;
    }

    // element(As<...>, column) gives the vector that begins at this column.
    template <class Element>
    JETGRAM_INLINE static TileRow from(const Element& element) {
        TileRow row;
        JETGRAM_UNROLL
        for (int i = 0; i < WIDES; ++i) row.wide[i] = element(As<Wide>{}, STEP * i);
        if constexpr (ODD) row.wide[WIDES] = _mm512_castps256_ps512(element(As<Vec>{}, STEP * WIDES));
        return row;
    }

    // Calls put(column, vector) for each vector.
    template <class Put>
    JETGRAM_INLINE void each(const Put& put) const {
        JETGRAM_UNROLL
        for (int i = 0; i < WIDES; ++i) put(STEP * i, wide[i]);
        if constexpr (ODD) put(STEP * WIDES, lower(wide[WIDES]));
    }

    JETGRAM_INLINE void add(const TileRow& other) {
        JETGRAM_UNROLL
        for (int i = 0; i < REGISTERS; ++i) wide[i] += other.wide[i];
    }
};

// sum[n] += factor[n] * weight: the row of weights stays in registers, each factor comes and goes.
template <int N, int V, class Factor>
JETGRAM_INLINE void multiply_add(const Factor& factor, const float* weights, TileRow<V> (&sum)[N]) {
    using Row = TileRow<V>;
    Row weight = Row::load(weights);
    JETGRAM_UNROLL
    for (int i = 0; i < Row::REGISTERS; ++i)
        if constexpr (N > 1) keep_in_register(weight.wide[i]);
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) {
        const Wide x = _mm512_set1_ps(*factor(n));
        JETGRAM_UNROLL
        for (int i = 0; i < Row::REGISTERS; ++i) sum[n].wide[i] = fma(x, weight.wide[i], sum[n].wide[i]);
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

// Rows of the next smaller tile.
constexpr int fewer_rows(int rows) { return rows > 2 ? 2 : 1; }

// Whether a tile of so many rows comes next where so many are left.
constexpr bool takes_tile(int rows, int left) { return left >= rows; }

template <int V>
struct TileRow {
    Vec vector[V];

    JETGRAM_INLINE static TileRow load(const float* p) {
        return from([=](auto as, int column) JETGRAM_LAMBDA { return JETGRAM_PATH::load(as, p + column); });
    }

    // element(As<Vec>, column) gives the vector that begins at this column.
    template <class Element>
    JETGRAM_INLINE static TileRow from(const Element& element) {
        TileRow row;
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) row.vector[v] = element(As<Vec>{}, v * WIDTH);
        return row;
    }

    // Calls put(column, vector) for each vector.
    template <class Put>
    JETGRAM_INLINE void each(const Put& put) const {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) put(v * WIDTH, vector[v]);
    }

    JETGRAM_INLINE void add(const TileRow& other) {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) vector[v] += other.vector[v];
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
