// The simple cell, Eqn. 1 of arXiv:1702.00748: h = relu(W_h [h_L, h_R, u] + b_h).
#pragma once

#include "recursion.hpp"

namespace jetgram::engine::JETGRAM_PATH {

struct SimpleCell {
    enum Parameters { W_u, W_h };

    static void forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                        int begin, int end, float*) {
        const Linear& map = linear[W_h];
        float* states = memory.states;
        const std::ptrdiff_t* output = chunk.output + begin;
        node_product(end - begin, map.in, map.forward, map.out, rows_of(states + begin * layout.stride, layout.stride),
                     from_bias(map),
                     [=](int i, int column, Vec sum) JETGRAM_LAMBDA { store(states + output[i] + column, relu(sum)); });
    }

    // Saved of each slot: the gradient of its sum before the rectifier.
    static void backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                         int begin, int end) {
        const Linear& map = linear[W_h];
        float* slopes = memory.saved + begin * layout.saved;
        gather_slopes(end - begin, layout.hidden, chunk.output + begin, memory, slopes, layout.saved);
        const std::ptrdiff_t stride = layout.stride;
        float* inputs = memory.gradients + begin * stride;
        node_product(end - begin, map.out, map.backward, map.in, rows_of(slopes, layout.saved), from_zero(),
                     [=](int i, int column, Vec sum) JETGRAM_LAMBDA { store(inputs + i * stride + column, sum); });
    }

    static void weight_gradients(const Linear* linear, const SlotLayout& layout, const Chunk&, const Memory& memory,
                                 int begin, int end) {
        const Linear& map = linear[W_h];
        const float* slopes = memory.saved + begin * layout.saved;
        outer_product(end - begin, map.in, map.out, rows_of(memory.states + begin * layout.stride, layout.stride), slopes,
                      layout.saved, map.weight_gradient);
        column_sums(end - begin, map.out, slopes, layout.saved, map.bias_gradient);
    }
};

}  // namespace jetgram::engine::JETGRAM_PATH
