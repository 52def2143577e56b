// The two products that nearly all time goes into, as register tiles.
//
//   node product    y_i = start_i + sum_k x_i[k] W[k]         for many nodes i: forward pass and input gradients
//   outer product   dW[k] += sum_i x_i[k] g_i                 for many nodes i: weight gradients
//
// Both keep a tile of sums in registers: N nodes (or K rows of dW) by V vectors. With V = 5 and N = 2 there are ten
// independent chains of multiply-adds, enough to hide their latency, and 7 loads for 10 multiply-adds.
#pragma once

#include "operands.hpp"
#include "panels.hpp"
#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

template <int V>
struct Vectors {
    static constexpr int count = V;
};

// Rows of a tile that is so many vectors wide: about ten sums, and no more registers than there are.
constexpr int tile_rows(int vectors) {
    if (vectors >= 4) return 2;
    return vectors == 3 ? 3 : 4;
}

// Calls work(Vectors<V>, first column) for each panel, with the panel's width as a compile-time constant.
template <class Work>
JETGRAM_INLINE void for_each_panel_width(int columns, const Work& work) {
    for_each_panel(columns, WIDTH, [&](int column, int size) JETGRAM_LAMBDA {
        switch (size / WIDTH) {
            case 1: return work(Vectors<1>{}, column);
            case 2: return work(Vectors<2>{}, column);
            case 3: return work(Vectors<3>{}, column);
            case 4: return work(Vectors<4>{}, column);
            default: return work(Vectors<5>{}, column);
        }
    });
}

// sum[n] += sum_k x[n][k] panel[k].
template <int N, int V>
JETGRAM_INLINE void accumulate(const float* const (&x)[N], int depth, const float* panel, Vec (&sum)[N][V]) {
    for (int k = 0; k < depth; ++k, panel += V * WIDTH) {
        Vec factor[N];
        JETGRAM_UNROLL
        for (int n = 0; n < N; ++n) factor[n] = broadcast(x[n] + k);
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) {
            Vec weight = load(panel + v * WIDTH);
            if constexpr (N > 1) keep_in_register(weight);
            JETGRAM_UNROLL
            for (int n = 0; n < N; ++n) sum[n][v] = fma(factor[n], weight, sum[n][v]);
        }
    }
}

template <int N, int V, class Input, class Start, class Store>
JETGRAM_INLINE void product_tile(int row, int column, int depth, const float* panel, const Input& input,
                                 const Start& start, const Store& put) {
    const float* x[N];
    Vec sum[N][V];
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) {
        x[n] = input(row + n);
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) sum[n][v] = start(row + n, column + v * WIDTH);
    }
    accumulate<N, V>(x, depth, panel, sum);
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) put(row + n, column + v * WIDTH, sum[n][v]);
    }
}

// For rows 0..rows-1: put(row, column, start(row, column) + input(row) . weights), a vector of columns at a time.
// `weights` is packed (depth x columns); what a cell does with the sums is in `put`, while they are in registers.
template <class Input, class Start, class Store>
JETGRAM_INLINE void node_product(int rows, int depth, const float* weights, int columns, const Input& input,
                                 const Start& start, const Store& put) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        constexpr int V = decltype(vectors)::count;
        constexpr int N = tile_rows(V);
        const float* panel = weights + static_cast<std::ptrdiff_t>(depth) * column;
        int row = 0;
        for (; row + N <= rows; row += N) product_tile<N, V>(row, column, depth, panel, input, start, put);
        for (; row < rows; ++row) product_tile<1, V>(row, column, depth, panel, input, start, put);
    });
}

// Rows k..k+K-1 of one panel of dW: sum over all nodes in registers, then written back once.
template <int K, int V, class Input>
JETGRAM_INLINE void outer_tile(int rows, int k, const Input& input, const float* g, std::ptrdiff_t stride,
                               float* gradient) {
    Vec sum[K][V];
    JETGRAM_UNROLL
    for (int j = 0; j < K; ++j) {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) sum[j][v] = load(gradient + (j * V + v) * WIDTH);
    }
    for (int i = 0; i < rows; ++i, g += stride) {
        const float* x = input(i) + k;
        Vec factor[K];
        JETGRAM_UNROLL
        for (int j = 0; j < K; ++j) factor[j] = broadcast(x + j);
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) {
            Vec slope = load(g + v * WIDTH);
            if constexpr (K > 1) keep_in_register(slope);
            JETGRAM_UNROLL
            for (int j = 0; j < K; ++j) sum[j][v] = fma(factor[j], slope, sum[j][v]);
        }
    }
    JETGRAM_UNROLL
    for (int j = 0; j < K; ++j) {
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) store(gradient + (j * V + v) * WIDTH, sum[j][v]);
    }
}

// gradient[k] += sum_i input(i)[k] g_i, with g_i = g + i stride; `gradient` is packed (depth x columns).
template <class Input>
JETGRAM_INLINE void outer_product(int rows, int depth, int columns, const Input& input, const float* g,
                                  std::ptrdiff_t stride, float* gradient) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        constexpr int V = decltype(vectors)::count;
        constexpr int K = tile_rows(V);
        float* panel = gradient + static_cast<std::ptrdiff_t>(depth) * column;
        int k = 0;
        for (; k + K <= depth; k += K) outer_tile<K, V>(rows, k, input, g + column, stride, panel + k * V * WIDTH);
        for (; k < depth; ++k) outer_tile<1, V>(rows, k, input, g + column, stride, panel + k * V * WIDTH);
    });
}

// total += sum_i g_i: the gradient of a bias.
JETGRAM_INLINE void column_sums(int rows, int columns, const float* g, std::ptrdiff_t stride, float* total) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        constexpr int V = decltype(vectors)::count;
        Vec sum[V];
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) sum[v] = load(total + column + v * WIDTH);
        for (int i = 0; i < rows; ++i) {
            JETGRAM_UNROLL
            for (int v = 0; v < V; ++v) sum[v] += load(g + i * stride + column + v * WIDTH);
        }
        JETGRAM_UNROLL
        for (int v = 0; v < V; ++v) store(total + column + v * WIDTH, sum[v]);
    });
}

// The gradients of a map W x + b from rows of x and of the slopes of its sums.
static void weight_gradient(const Linear& map, int rows, const float* x, std::ptrdiff_t x_stride, const float* slopes,
                            std::ptrdiff_t stride) {
    outer_product(rows, map.in, map.out, rows_of(x, x_stride), slopes, stride, map.weight_gradient);
    column_sums(rows, map.out, slopes, stride, map.bias_gradient);
}

}  // namespace jetgram::engine::JETGRAM_PATH
