// The recursion over a chunk of trees, for any cell: leaves, then level by level up; gradients level by level down;
// then the weight gradients in large blocks that no longer care about levels.
//
// A cell is a struct with three static functions over a block of slots:
//   forward(linear, layout, chunk, memory, begin, end, saved)    sets the states of slots [begin, end)
//   backward(linear, layout, chunk, memory, begin, end)          from their gradients, sets those of their inputs
//   weight_gradients(linear, layout, chunk, memory, begin, end)  adds to the gradients of its weights
#pragma once

#include "operands.hpp"
#include "path.hpp"
#include "products.hpp"

namespace jetgram::engine::JETGRAM_PATH {

JETGRAM_INLINE int smaller(int a, int b) { return a < b ? a : b; }

// Gradients before a rectifier, of the states at the given offsets: row i of `slopes` is 0 where its state is.
JETGRAM_INLINE void gather_slopes(int rows, int hidden, const std::ptrdiff_t* offset, const Memory& memory,
                                  float* slopes, std::ptrdiff_t stride) {
    for (int i = 0; i < rows; ++i) {
        const float *state = memory.states + offset[i], *gradient = memory.gradients + offset[i];
        for_each_vector(hidden, [=](auto as, int column) JETGRAM_LAMBDA {
            store(slopes + i * stride + column, where_positive(load(as, state + column), load(as, gradient + column)));
        });
    }
}

// u = relu(W_u x + b_u) of all nodes, each written where it is needed.
static void inputs_forward(const Linear& W_u, const Chunk& chunk, float* states) {
    for (int jet = 0; jet < chunk.jets; ++jet) {
        node_product(chunk.jet_begin[jet + 1] - chunk.jet_begin[jet], W_u.in, W_u.forward, W_u.out,
                     rows_of(chunk.jet_features[jet], W_u.in), from_bias(W_u),
                     rectified_into(states, chunk.input + chunk.jet_begin[jet]));
    }
}

// Gradients of W_u and b_u.
static void inputs_backward(const Linear& W_u, const Chunk& chunk, const Memory& memory) {
    const int hidden = W_u.out;
    for (int jet = 0; jet < chunk.jets; ++jet)
        for (int begin = chunk.jet_begin[jet]; begin < chunk.jet_begin[jet + 1]; begin += OUTER_BLOCK) {
            const int rows = smaller(chunk.jet_begin[jet + 1] - begin, OUTER_BLOCK);
            const float* features = chunk.jet_features[jet] + (begin - chunk.jet_begin[jet]) * W_u.in;
            gather_slopes(rows, hidden, chunk.input + begin, memory, memory.scratch, hidden);
            weight_gradient(W_u, rows, features, W_u.in, memory.scratch, hidden);
        }
}

// Adds what flows to every state of a jet to the gradients of the children of slots [begin, end).
JETGRAM_INLINE void share_gradient(const SlotLayout& layout, const Chunk& chunk, const Memory& memory, int begin,
                                   int end) {
    for (int slot = begin; slot < end; ++slot) {
        const float* shared = memory.shared_gradient + chunk.slot_jet[slot] * layout.hidden;
        float* left = memory.gradients + slot * layout.stride + layout.children;
        float* right = left + layout.hidden;
        for_each_vector(layout.hidden, [=](auto as, int column) JETGRAM_LAMBDA {
            const auto flow = load(as, shared + column);
            store(left + column, load(as, left + column) + flow);
            store(right + column, load(as, right + column) + flow);
        });
    }
}

template <class Cell>
void recursion_forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                       bool keep) {
    inputs_forward(linear[0], chunk, memory.states);
    for (int level = 0; level < chunk.levels; ++level) {
        const int level_end = chunk.level_begin[level + 1];
        for (int begin = chunk.level_begin[level]; begin < level_end; begin += LEVEL_BLOCK) {
            const int end = smaller(level_end, begin + LEVEL_BLOCK);
            Cell::forward(linear, layout, chunk, memory, begin, end, memory.saved + (keep ? begin : 0) * layout.saved);
        }
    }
}

template <class Cell>
void recursion_backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory) {
    for (int level = chunk.levels - 1; level >= 0; --level) {
        const int level_end = chunk.level_begin[level + 1];
        for (int begin = chunk.level_begin[level]; begin < level_end; begin += LEVEL_BLOCK) {
            const int end = smaller(level_end, begin + LEVEL_BLOCK);
            Cell::backward(linear, layout, chunk, memory, begin, end);
            if (memory.shared_gradient) share_gradient(layout, chunk, memory, begin, end);
        }
    }
    const int slots = chunk.level_begin[chunk.levels];
    for (int begin = 0; begin < slots; begin += OUTER_BLOCK) {
        const int end = smaller(slots, begin + OUTER_BLOCK);
        Cell::weight_gradients(linear, layout, chunk, memory, begin, end);
    }
    inputs_backward(linear[0], chunk, memory);
}

}  // namespace jetgram::engine::JETGRAM_PATH
