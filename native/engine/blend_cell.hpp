// The blend cell: one product of [h_L, h_R, u] gives a candidate and the gates that blend it with the children.
//
//   [a, c, l, r] = W_h [h_L, h_R, u] + b_h     sizes q, G, G, G with G = BLEND_GROUPS
//   (p_c, p_l, p_r) = softmax(c, l, r)         over the three, separately for each group; unit i is of group i mod G
//   h = p_c relu(a) + p_l h_L + p_r h_R
//
// A slot is [h_L, h_R, u]. Saved of each slot: [a (q) | p_c | p_l | p_r (G each)]; the backward pass overwrites them with
// the gradients of the sums that they came from. G is a multiple of every vector width, so that the groups of a vector of
// units are a vector of gates.
#pragma once

#include "activations.hpp"
#include "recursion.hpp"

namespace jetgram::engine::JETGRAM_PATH {

static_assert(BLEND_GROUPS % WIDTH == 0);

// saved: sums in, gates out (a stays); state = the blend.
JETGRAM_INLINE void blend(int hidden, float* saved, const float* slot, float* state) {
    float* gates = saved + hidden;
    for (int first = 0; first < BLEND_GROUPS; first += WIDTH) {
        Vec gate[3];
        for (int part = 0; part < 3; ++part) gate[part] = load(gates + part * BLEND_GROUPS + first);
        softmax(gate);
        for (int part = 0; part < 3; ++part) store(gates + part * BLEND_GROUPS + first, gate[part]);
        for (int column = first; column < hidden; column += BLEND_GROUPS) {
            Vec sum = gate[0] * relu(load(saved + column));
            sum = fma(gate[1], load(slot + column), sum);
            store(state + column, fma(gate[2], load(slot + hidden + column), sum));
        }
    }
}

// saved: a and gates in, gradients of their sums out; dslot: what flows to the slot's parts through the blend.
JETGRAM_INLINE void blend_backward(int hidden, float* saved, const float* slot, const float* dstate, float* dslot) {
    float* gates = saved + hidden;
    for (int first = 0; first < BLEND_GROUPS; first += WIDTH) {
        Vec gate[3], slope[3] = {zero(), zero(), zero()};
        for (int part = 0; part < 3; ++part) gate[part] = load(gates + part * BLEND_GROUPS + first);
        for (int column = first; column < hidden; column += BLEND_GROUPS) {
            const Vec d = load(dstate + column), a = load(saved + column);
            slope[0] = fma(d, relu(a), slope[0]);
            slope[1] = fma(d, load(slot + column), slope[1]);
            slope[2] = fma(d, load(slot + hidden + column), slope[2]);
            store(saved + column, where_positive(a, gate[0] * d));
            store(dslot + column, gate[1] * d);
            store(dslot + hidden + column, gate[2] * d);
            store(dslot + 2 * hidden + column, zero());
        }
        const Vec mean = fma(gate[0], slope[0], fma(gate[1], slope[1], gate[2] * slope[2]));
        for (int part = 0; part < 3; ++part)
            store(gates + part * BLEND_GROUPS + first, gate[part] * (slope[part] - mean));
    }
}

struct BlendCell {
    enum Parameters { W_u, W_h };

    static void forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                        int begin, int end, float* saved) {
        const Linear& map = linear[W_h];
        const float* slots = memory.states + begin * layout.stride;
        node_product(end - begin, map.in, map.forward, map.out, rows_of(slots, layout.stride), from_bias(map),
                     into_rows(saved, layout.saved));
        for (int i = 0; i < end - begin; ++i)
            blend(layout.hidden, saved + i * layout.saved, slots + i * layout.stride,
                  memory.states + chunk.output[begin + i]);
    }

    static void backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                         int begin, int end) {
        const Linear& map = linear[W_h];
        float *saved = memory.saved + begin * layout.saved, *dslots = memory.gradients + begin * layout.stride;
        for (int i = 0; i < end - begin; ++i)
            blend_backward(layout.hidden, saved + i * layout.saved, memory.states + (begin + i) * layout.stride,
                           memory.gradients + chunk.output[begin + i], dslots + i * layout.stride);
        node_product(end - begin, map.out, map.backward, map.in, rows_of(saved, layout.saved),
                     from_rows(dslots, layout.stride), into_rows(dslots, layout.stride));
    }

    static void weight_gradients(const Linear* linear, const SlotLayout& layout, const Chunk&, const Memory& memory,
                                 int begin, int end) {
        weight_gradient(linear[W_h], end - begin, memory.states + begin * layout.stride, layout.stride,
                        memory.saved + begin * layout.saved, layout.saved);
    }
};

}  // namespace jetgram::engine::JETGRAM_PATH
