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

// The same columns of the rows of some nodes, as many as fit into one V.
template <class V>
struct NodeRows;

template <>
struct NodeRows<Vec> {
    static constexpr int COUNT = 1;
    float* row[COUNT];

    JETGRAM_INLINE Vec load(int column) const { return JETGRAM_PATH::load(row[0] + column); }
    JETGRAM_INLINE void store(int column, Vec x) const { JETGRAM_PATH::store(row[0] + column, x); }
};

#if JETGRAM_HAS_AVX512
template <>
struct NodeRows<Wide> {
    static constexpr int COUNT = 2;
    float* row[COUNT];

    JETGRAM_INLINE Wide load(int column) const {
        return join(JETGRAM_PATH::load(row[0] + column), JETGRAM_PATH::load(row[1] + column));
    }
    JETGRAM_INLINE void store(int column, Wide x) const {
        JETGRAM_PATH::store(row[0] + column, lower(x));
        JETGRAM_PATH::store(row[1] + column, upper(x));
    }
};
#endif

// saved: sums in, gates out (a stays); state = the blend.
template <class V>
JETGRAM_INLINE void blend(int hidden, NodeRows<V> saved, NodeRows<V> slot, NodeRows<V> state) {
    for (int first = 0; first < BLEND_GROUPS; first += WIDTH) {
        const int gates = hidden + first;
        V gate[3];
        for (int part = 0; part < 3; ++part) gate[part] = saved.load(gates + part * BLEND_GROUPS);
        softmax(gate);
        for (int part = 0; part < 3; ++part) saved.store(gates + part * BLEND_GROUPS, gate[part]);
        for (int column = first; column < hidden; column += BLEND_GROUPS) {
            V sum = gate[0] * relu(saved.load(column));
            sum = fma(gate[1], slot.load(column), sum);
            state.store(column, fma(gate[2], slot.load(hidden + column), sum));
        }
    }
}

// saved: a and gates in, gradients of their sums out; dslot: what flows to the slot's parts through the blend.
template <class V>
JETGRAM_INLINE void blend_backward(int hidden, NodeRows<V> saved, NodeRows<V> slot, NodeRows<V> dstate,
                                   NodeRows<V> dslot) {
    for (int first = 0; first < BLEND_GROUPS; first += WIDTH) {
        const int gates = hidden + first;
        V gate[3], slope[3] = {};
        for (int part = 0; part < 3; ++part) gate[part] = saved.load(gates + part * BLEND_GROUPS);
        for (int column = first; column < hidden; column += BLEND_GROUPS) {
            const V d = dstate.load(column), a = saved.load(column);
            slope[0] = fma(d, relu(a), slope[0]);
            slope[1] = fma(d, slot.load(column), slope[1]);
            slope[2] = fma(d, slot.load(hidden + column), slope[2]);
            saved.store(column, where_positive(a, gate[0] * d));
            dslot.store(column, gate[1] * d);
            dslot.store(hidden + column, gate[2] * d);
            dslot.store(2 * hidden + column, V{});
        }
        const V mean = fma(gate[0], slope[0], fma(gate[1], slope[1], gate[2] * slope[2]));
        for (int part = 0; part < 3; ++part)
            saved.store(gates + part * BLEND_GROUPS, gate[part] * (slope[part] - mean));
    }
}

// Calls work(rows) until all nodes are covered; rows(address) gives the rows of the next nodes i at address(i).
template <class Work>
JETGRAM_INLINE void for_each_node(int nodes, const Work& work) {
    const auto call = [&]<class V>(As<V>, int i) JETGRAM_LAMBDA {
        work([=](const auto& address) JETGRAM_LAMBDA {
            NodeRows<V> rows;
            for (int n = 0; n < rows.COUNT; ++n) rows.row[n] = address(i + n);
            return rows;
        });
    };
    int i = 0;
    for (; i + NodeRows<Wide>::COUNT <= nodes; i += NodeRows<Wide>::COUNT) call(As<Wide>{}, i);
    for (; i < nodes; ++i) call(As<Vec>{}, i);
}

struct BlendCell {
    enum Parameters { W_u, W_h };

    static void forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                        int begin, int end, float* saved) {
        const Linear& map = linear[W_h];
        float* slots = memory.states + begin * layout.stride;
        node_product(end - begin, map.in, map.forward, map.out, rows_of(slots, layout.stride), from_bias(map),
                     into_rows(saved, layout.saved));
        blend_block(layout, end - begin, saved, slots, memory.states, chunk.output + begin);
    }

    static void backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                         int begin, int end) {
        const Linear& map = linear[W_h];
        float *saved = memory.saved + begin * layout.saved, *dslots = memory.gradients + begin * layout.stride;
        blend_block_backward(layout, end - begin, saved, memory.states + begin * layout.stride, memory.gradients,
                             chunk.output + begin, dslots);
        node_product(end - begin, map.out, map.backward, map.in, rows_of(saved, layout.saved),
                     from_rows(dslots, layout.stride), into_rows(dslots, layout.stride));
    }

    static void weight_gradients(const Linear* linear, const SlotLayout& layout, const Chunk&, const Memory& memory,
                                 int begin, int end) {
        weight_gradient(linear[W_h], end - begin, memory.states + begin * layout.stride, layout.stride,
                        memory.saved + begin * layout.saved, layout.saved);
    }

   private:
    // Both out of line: within the functions above GCC would keep the rows of weights on the stack.
    [[gnu::noinline]] static void blend_block(const SlotLayout& layout, int nodes, float* saved, float* slots,
                                              float* states, const std::ptrdiff_t* output) {
        const auto state = [=](int i) JETGRAM_LAMBDA { return states + output[i]; };
        for_each_node(nodes, [=](const auto& rows) JETGRAM_LAMBDA {
            blend(layout.hidden, rows(rows_of(saved, layout.saved)), rows(rows_of(slots, layout.stride)), rows(state));
        });
    }

    [[gnu::noinline]] static void blend_block_backward(const SlotLayout& layout, int nodes, float* saved, float* slots,
                                                       float* gradients, const std::ptrdiff_t* output, float* dslots) {
        const auto dstate = [=](int i) JETGRAM_LAMBDA { return gradients + output[i]; };
        for_each_node(nodes, [=](const auto& rows) JETGRAM_LAMBDA {
            blend_backward(layout.hidden, rows(rows_of(saved, layout.saved)), rows(rows_of(slots, layout.stride)),
                           rows(dstate), rows(rows_of(dslots, layout.stride)));
        });
    }
};

}  // namespace jetgram::engine::JETGRAM_PATH
