// The gated recurrent unit, Appendix B of arXiv:1702.00748, over sequences that begin late and end together:
//
//   z = sigmoid(W_zx x + b_z + W_zh h')        how much of the state h' before is kept
//   r = sigmoid(W_rx x + b_r + W_rh h')        how much of it the candidate sees
//   c = relu(W_hx x + b_h + W_hh (r * h'))     the candidate
//   h = z h' + (1 - z) c
//
// Rows are those of the first step, then those of the second, ... Kept of each row: [z | r | c], h' and r * h'. The
// backward pass overwrites [z | r | c] with the gradients of the sums that they came from.
#pragma once

#include "activations.hpp"
#include "operands.hpp"
#include "path.hpp"
#include "products.hpp"

namespace jetgram::engine::JETGRAM_PATH {

struct Gru {
    enum Parameters { W_zx, W_rx, W_hx, W_zh, W_rh, W_hh };

    // What does not need the state: all rows at once, a third of `gates` for each of z, r and c.
    static void inputs_forward(const Linear* linear, const GruMemory& memory) {
        for (int part = 0; part < 3; ++part) {
            const Linear& map = linear[part];
            node_product(memory.rows, map.in, map.forward, map.out, rows_of(memory.x, map.in), from_bias(map),
                         into_rows(memory.gates + part * memory.hidden, 3 * memory.hidden));
        }
    }

    // One step of `rows` sequences from row `first`; their states go to `next`.
    static void step_forward(const Linear* linear, const GruMemory& memory, int first, int rows, float* next) {
        const std::ptrdiff_t hidden = memory.hidden, stride = 3 * hidden;
        float* gates = memory.gates + first * stride;
        float* reset = memory.reset + first * hidden;
        const float* before = memory.before + first * hidden;
        const auto product = [&](Parameters map, const float* input, const float* start, const auto& put) {
            node_product(rows, linear[map].in, linear[map].forward, linear[map].out, rows_of(input, hidden),
                         from_rows(start, stride), put);
        };
        product(W_zh, before, gates, [=](int row, int column, auto sum) JETGRAM_LAMBDA {
            store(gates + row * stride + column, sigmoid(sum));
        });
        product(W_rh, before, gates + hidden, [=](int row, int column, auto sum) JETGRAM_LAMBDA {
            const auto r = sigmoid(sum);
            store(gates + row * stride + hidden + column, r);
            store(reset + row * hidden + column, r * load_like(r, before + row * hidden + column));
        });
        product(W_hh, reset, gates + 2 * hidden, [=](int row, int column, auto sum) JETGRAM_LAMBDA {
            const auto c = relu(sum), z = load_like(c, gates + row * stride + column);
            store(gates + row * stride + 2 * hidden + column, c);
            store(next + row * hidden + column, fma(z, load_like(c, before + row * hidden + column) - c, c));
        });
    }

    // From the gradients of the states after a step: those of its sums, and, in their place, of the states before it.
    static void step_backward(const Linear* linear, const GruMemory& memory, int first, int rows) {
        const std::ptrdiff_t hidden = memory.hidden, stride = 3 * hidden;
        float *gates = memory.gates + first * stride, *gradient = memory.gradient;
        const float* before = memory.before + first * hidden;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < hidden; column += WIDTH) {
                float *slot = gates + row * stride + column, *slope = gradient + row * hidden + column;
                const Vec z = load(slot), c = load(slot + 2 * hidden), dh = load(slope);
                store(slot, dh * (load(before + row * hidden + column) - c) * z * (splat(1.0f) - z));
                store(slot + 2 * hidden, where_positive(c, dh * (splat(1.0f) - z)));
                store(slope, dh * z);
            }
        const auto product = [&](Parameters map, const float* slopes, const auto& start, const auto& put) {
            node_product(rows, linear[map].out, linear[map].backward, linear[map].in, rows_of(slopes, stride), start,
                         put);
        };
        product(W_hh, gates + 2 * hidden, from_zero(), [=]<class V>(int row, int column, V sum) JETGRAM_LAMBDA {
            constexpr As<V> as;
            float *slot = gates + row * stride + hidden + column, *slope = gradient + row * hidden + column;
            const V r = load(as, slot);
            store(slope, fma(sum, r, load(as, slope)));
            store(slot, sum * load(as, before + row * hidden + column) * r * (splat(as, 1.0f) - r));
        });
        product(W_zh, gates, from_rows(gradient, hidden), into_rows(gradient, hidden));
        product(W_rh, gates + hidden, from_rows(gradient, hidden), into_rows(gradient, hidden));
    }

    // The gradients of all weights, and, if asked for, of the inputs.
    static void inputs_backward(const Linear* linear, const GruMemory& memory) {
        const std::ptrdiff_t hidden = memory.hidden, stride = 3 * hidden;
        for (int part = 0; part < 3; ++part) {
            const Linear &from_x = linear[part], &from_h = linear[W_zh + part];
            const float* slopes = memory.gates + part * hidden;
            const float* state = W_zh + part == W_hh ? memory.reset : memory.before;
            weight_gradient(from_x, memory.rows, memory.x, from_x.in, slopes, stride);
            outer_product(memory.rows, from_h.in, from_h.out, rows_of(state, hidden), slopes, stride,
                          from_h.weight_gradient);
            if (!memory.dx) continue;
            const auto input = rows_of(slopes, stride);
            const auto put = into_rows(memory.dx, from_x.in);
            if (part == 0)
                node_product(memory.rows, from_x.out, from_x.backward, from_x.in, input, from_zero(), put);
            else
                node_product(memory.rows, from_x.out, from_x.backward, from_x.in, input,
                             from_rows(memory.dx, from_x.in), put);
        }
    }
};

static void gru_forward(const Linear* linear, const GruMemory& memory, int steps, const int* count) {
    Gru::inputs_forward(linear, memory);
    for (int step = 0, first = 0, known = 0; step < steps; first += count[step++]) {
        float* fresh = memory.before + (first + known) * memory.hidden;  // sequences that begin with this step
        for (int i = 0; i < (count[step] - known) * memory.hidden; i += WIDTH) store(fresh + i, zero());
        known = count[step];
        float* next = step + 1 < steps ? memory.before + (first + known) * memory.hidden : memory.last;
        Gru::step_forward(linear, memory, first, known, next);
    }
}

static void gru_backward(const Linear* linear, const GruMemory& memory, int steps, const int* count) {
    for (int step = steps - 1, first = memory.rows; step >= 0; --step) {
        first -= count[step];
        Gru::step_backward(linear, memory, first, count[step]);
    }
    Gru::inputs_backward(linear, memory);
}

}  // namespace jetgram::engine::JETGRAM_PATH
