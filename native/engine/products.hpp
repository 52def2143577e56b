// The two products that nearly all time goes into, as register tiles.
//
//   node product    y_i = start_i + sum_k x_i[k] W[k]         for many nodes i: forward pass and input gradients
//   outer product   dW[k] += sum_i x_i[k] g_i                 for many nodes i: weight gradients
//
// Both keep a tile of sums in registers: N nodes (or K rows of dW) by V vectors.
#pragma once

#include "operands.hpp"
#include "panels.hpp"
#include "tile_row.hpp"
#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

template <int V>
struct Vectors {
    static constexpr int count = V;
};

template <int N>
struct Rows {
    static constexpr int count = N;
};

// Calls work(Vectors<V>, first column) for each panel, with the panel's width as a compile-time constant.
template <class Work>
JETGRAM_INLINE void for_each_panel_width(int columns, const Work& work) {
    constexpr int MOST = SHAPE.unit / WIDTH * SHAPE.registers;
    for_each_panel(columns, SHAPE, [&](int column, int size) JETGRAM_LAMBDA {
        switch (size / WIDTH) {
            case 1: return work(Vectors<1>{}, column);
            case 2: return work(Vectors<2>{}, column);
            case 3: return work(Vectors<3>{}, column);
            case 4: return work(Vectors<4>{}, column);
            case 5: return work(Vectors<5>{}, column);
            default: return work(Vectors<MOST>{}, column);
        }
    });
}

// Calls work(Rows<N>, first row) until all rows are covered: N at a time, and what is left over in smaller tiles.
template <int N, class Work>
JETGRAM_INLINE void for_each_tile(int row, int rows, const Work& work) {
    for (; takes_tile(N, rows - row); row += N) work(Rows<N>{}, row);
    if constexpr (N > 1) for_each_tile<fewer_rows(N)>(row, rows, work);
}

template <int N, int V, class Input, class Start, class Store>
JETGRAM_INLINE void product_tile(int row, int column, int depth, const float* panel, const Input& input,
                                 const Start& start, const Store& put) {
    const float* x[N];
    TileRow<V> sum[N];
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) {
        x[n] = input(row + n);
        sum[n] = TileRow<V>::from([&](auto as, int c) JETGRAM_LAMBDA { return start(as, row + n, column + c); });
    }
    for (int k = 0; k < depth; ++k, panel += V * WIDTH)
        multiply_add<N, V>([&](int n) JETGRAM_LAMBDA { return x[n] + k; }, panel, sum);
    JETGRAM_UNROLL
    for (int n = 0; n < N; ++n) sum[n].each([&](int c, auto y) JETGRAM_LAMBDA { put(row + n, column + c, y); });
}

// For rows 0..rows-1: put(row, column, start(As<V>, row, column) + input(row) . weights), a vector V at a time. The
// weights are packed (depth x columns); what a cell does with the sums is in `put`, while they are in registers.
template <class Input, class Start, class Store>
JETGRAM_INLINE void node_product(int rows, int depth, const float* weights, int columns, const Input& input,
                                 const Start& start, const Store& put) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        constexpr int V = decltype(vectors)::count;
        const float* panel = weights + static_cast<std::ptrdiff_t>(depth) * column;
        for_each_tile<tile_rows(V)>(0, rows, [&](auto tile, int row) JETGRAM_LAMBDA {
            product_tile<decltype(tile)::count, V>(row, column, depth, panel, input, start, put);
        });
    });
}

// Rows k..k+K-1 of one panel of dW: sum over all nodes in registers, then written back once.
template <int K, int V, class Input>
JETGRAM_INLINE void outer_tile(int rows, int k, const Input& input, const float* g, std::ptrdiff_t stride,
                               float* gradient) {
    TileRow<V> sum[K];
    JETGRAM_UNROLL
    for (int j = 0; j < K; ++j) sum[j] = TileRow<V>::load(gradient + j * V * WIDTH);
    for (int i = 0; i < rows; ++i, g += stride) {
        const float* x = input(i) + k;
        multiply_add<K, V>([&](int j) JETGRAM_LAMBDA { return x + j; }, g, sum);
    }
    JETGRAM_UNROLL
    for (int j = 0; j < K; ++j)
        sum[j].each([&](int c, auto y) JETGRAM_LAMBDA { store(gradient + j * V * WIDTH + c, y); });
}

// gradient[k] += sum_i input(i)[k] g_i, with g_i = g + i stride; `gradient` is packed (depth x columns).
template <class Input>
JETGRAM_INLINE void outer_product(int rows, int depth, int columns, const Input& input, const float* g,
                                  std::ptrdiff_t stride, float* gradient) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        constexpr int V = decltype(vectors)::count;
        float* panel = gradient + static_cast<std::ptrdiff_t>(depth) * column;
        for_each_tile<tile_rows(V)>(0, depth, [&](auto tile, int k) JETGRAM_LAMBDA {
            outer_tile<decltype(tile)::count, V>(rows, k, input, g + column, stride, panel + k * V * WIDTH);
        });
    });
}

// total += sum_i g_i: the gradient of a bias.
JETGRAM_INLINE void column_sums(int rows, int columns, const float* g, std::ptrdiff_t stride, float* total) {
    for_each_panel_width(columns, [&](auto vectors, int column) JETGRAM_LAMBDA {
        using Row = TileRow<decltype(vectors)::count>;
        Row sum = Row::load(total + column);
        for (int i = 0; i < rows; ++i) sum.add(Row::load(g + i * stride + column));
        sum.each([&](int c, auto y) JETGRAM_LAMBDA { store(total + column + c, y); });
    });
}

// The gradients of a map W x + b from rows of x and of the slopes of its sums.
static void weight_gradient(const Linear& map, int rows, const float* x, std::ptrdiff_t x_stride, const float* slopes,
                            std::ptrdiff_t stride) {
    outer_product(rows, map.in, map.out, rows_of(x, x_stride), slopes, stride, map.weight_gradient);
    column_sums(rows, map.out, slopes, stride, map.bias_gradient);
}

}  // namespace jetgram::engine::JETGRAM_PATH
