// The simple cell, Eqn. 1 of arXiv:1702.00748: h = relu(W_h [h_L, h_R, u] + b_h).
#pragma once

#include "recursion.hpp"

namespace jetgram::engine::JETGRAM_PATH {

struct SimpleCell {
    enum Parameters { W_u, W_h };

    static void forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                        int begin, int end, float*) {
        const Linear& map = linear[W_h];
        node_product(end - begin, map.in, map.forward, map.out,
                     rows_of(memory.states + begin * layout.stride, layout.stride), from_bias(map),
                     rectified_into(memory.states, chunk.output + begin));
    }

    // Saved of each slot: the gradient of its sum before the rectifier.
    static void backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                         int begin, int end) {
        const Linear& map = linear[W_h];
        float* slopes = memory.saved + begin * layout.saved;
        gather_slopes(end - begin, layout.hidden, chunk.output + begin, memory, slopes, layout.saved);
        node_product(end - begin, map.out, map.backward, map.in, rows_of(slopes, layout.saved), from_zero(),
                     into_rows(memory.gradients + begin * layout.stride, layout.stride));
    }

    static void weight_gradients(const Linear* linear, const SlotLayout& layout, const Chunk&, const Memory& memory,
                                 int begin, int end) {
        weight_gradient(linear[W_h], end - begin, memory.states + begin * layout.stride, layout.stride,
                        memory.saved + begin * layout.saved, layout.saved);
    }
};

}  // namespace jetgram::engine::JETGRAM_PATH
