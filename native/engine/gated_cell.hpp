// The gated cell, Appendix A of arXiv:1702.00748. With x = [h_L, h_R, u]:
//
//   r = sigmoid(W_r x + b_r)              reset gates, one a number of x
//   c = relu(W_h (r * x) + b_h)           the candidate
//   z = softmax(W_z [c, x] + b_z)         over the four blocks, separately for each unit
//   h = z_H c + z_L h_L + z_R h_R + z_N u
//
// A slot is [c, h_L, h_R, u]. Saved of each slot: [r * x (3q) | r (3q) | z (4q)]; the backward pass overwrites r and z
// with the gradients of the sums that they came from, and the candidate's gradient with that of its sum.
#pragma once

#include "activations.hpp"
#include "recursion.hpp"

namespace jetgram::engine::JETGRAM_PATH {

// z: sums in, weights out; state = sum over the four parts of the slot, weighted with z.
JETGRAM_INLINE void update(int hidden, float* z, const float* slot, float* state) {
    for_each_vector(hidden, [=]<class V>(As<V> as, int column) JETGRAM_LAMBDA {
        V weight[4];
        for (int part = 0; part < 4; ++part) weight[part] = load(as, z + part * hidden + column);
        softmax(weight);
        V sum{};
        for (int part = 0; part < 4; ++part) {
            sum = fma(weight[part], load(as, slot + part * hidden + column), sum);
            store(z + part * hidden + column, weight[part]);
        }
        store(state + column, sum);
    });
}

// z: weights in, gradients of the sums out; dslot: what flows to the slot's parts through the weighted sum.
JETGRAM_INLINE void update_backward(int hidden, float* z, const float* slot, const float* dstate, float* dslot) {
    for_each_vector(hidden, [=]<class V>(As<V> as, int column) JETGRAM_LAMBDA {
        const V slope = load(as, dstate + column);
        V weight[4], product[4], total{};
        for (int part = 0; part < 4; ++part) {
            weight[part] = load(as, z + part * hidden + column);
            const V to_part = weight[part] * slope;
            store(dslot + part * hidden + column, to_part);
            product[part] = to_part * load(as, slot + part * hidden + column);
            total += product[part];
        }
        for (int part = 0; part < 4; ++part)
            store(z + part * hidden + column, fma(-weight[part], total, product[part]));
    });
}

struct GatedCell {
    enum Parameters { W_u, W_h, W_z, W_r };

    // The three parts of what a slot saves.
    static float* reset_inputs(float* saved, const SlotLayout&) { return saved; }
    static float* reset_gates(float* saved, const SlotLayout& layout) { return saved + 3 * layout.hidden; }
    static float* update_gates(float* saved, const SlotLayout& layout) { return saved + 6 * layout.hidden; }

    static void forward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                        int begin, int end, float* saved) {
        const int rows = end - begin;
        const std::ptrdiff_t stride = layout.stride, step = layout.saved;
        float* candidates = memory.states + begin * stride;
        const float* x = candidates + layout.children;
        float *rx = reset_inputs(saved, layout), *r = reset_gates(saved, layout), *z = update_gates(saved, layout);

        const Linear &reset = linear[W_r], &candidate = linear[W_h], &choice = linear[W_z];
        node_product(rows, reset.in, reset.forward, reset.out, rows_of(x, stride), from_bias(reset),
                     [=](int i, int column, auto sum) JETGRAM_LAMBDA {
                         const auto gate = sigmoid(sum);
                         store(r + i * step + column, gate);
                         store(rx + i * step + column, gate * load_like(gate, x + i * stride + column));
                     });
        node_product(rows, candidate.in, candidate.forward, candidate.out, rows_of(rx, step), from_bias(candidate),
                     rectified_into_rows(candidates, stride));
        node_product(rows, choice.in, choice.forward, choice.out, rows_of(candidates, stride), from_bias(choice),
                     into_rows(z, step));
        for (int i = 0; i < rows; ++i)
            update(layout.hidden, z + i * step, candidates + i * stride, memory.states + chunk.output[begin + i]);
    }

    static void backward(const Linear* linear, const SlotLayout& layout, const Chunk& chunk, const Memory& memory,
                         int begin, int end) {
        const int rows = end - begin, hidden = layout.hidden;
        const std::ptrdiff_t stride = layout.stride, step = layout.saved;
        float* saved = memory.saved + begin * step;
        const float *candidates = memory.states + begin * stride, *rx = reset_inputs(saved, layout);
        float *r = reset_gates(saved, layout), *z = update_gates(saved, layout);
        float *dcandidates = memory.gradients + begin * stride, *dx = dcandidates + layout.children;

        for (int i = 0; i < rows; ++i)
            update_backward(hidden, z + i * step, candidates + i * stride, memory.gradients + chunk.output[begin + i],
                            dcandidates + i * stride);

        const Linear &reset = linear[W_r], &candidate = linear[W_h], &choice = linear[W_z];
        node_product(rows, choice.out, choice.backward, choice.in, rows_of(z, step), from_rows(dcandidates, stride),
                     into_rows(dcandidates, stride));
        for (int i = 0; i < rows; ++i)
            for_each_vector(hidden, [=](auto as, int column) JETGRAM_LAMBDA {
                float* slope = dcandidates + i * stride + column;
                store(slope, where_positive(load(as, candidates + i * stride + column), load(as, slope)));
            });
        node_product(rows, candidate.out, candidate.backward, candidate.in, rows_of(dcandidates, stride), from_zero(),
                     [=]<class V>(int i, int column, V sum) JETGRAM_LAMBDA {
                         constexpr As<V> as;
                         float *gate = r + i * step + column, *slope = dx + i * stride + column;
                         const V open = load(as, gate);
                         store(slope, fma(sum, open, load(as, slope)));
                         store(gate, sum * load(as, rx + i * step + column) * (splat(as, 1.0f) - open));
                     });
        node_product(rows, reset.out, reset.backward, reset.in, rows_of(r, step), from_rows(dx, stride),
                     into_rows(dx, stride));
    }

    static void weight_gradients(const Linear* linear, const SlotLayout& layout, const Chunk&, const Memory& memory,
                                 int begin, int end) {
        const std::ptrdiff_t stride = layout.stride, step = layout.saved;
        float* saved = memory.saved + begin * step;
        const float *slots = memory.states + begin * stride, *slopes = memory.gradients + begin * stride;
        weight_gradient(linear[W_h], end - begin, reset_inputs(saved, layout), step, slopes, stride);
        weight_gradient(linear[W_z], end - begin, slots, stride, update_gates(saved, layout), step);
        weight_gradient(linear[W_r], end - begin, slots + layout.children, stride, reset_gates(saved, layout), step);
    }
};

}  // namespace jetgram::engine::JETGRAM_PATH
