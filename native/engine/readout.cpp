#include "readout.hpp"

#include <algorithm>
#include <stdexcept>

namespace jetgram::engine {

namespace {

// The states of the roots, (jets, hidden), follow after the last slot.
std::ptrdiff_t roots(const SlotLayout& layout, const Chunk& chunk) { return chunk.slots * layout.stride; }

int nodes_of(const Chunk& chunk, int jet) { return chunk.jet_begin[jet + 1] - chunk.jet_begin[jet]; }

bool is_leaf(const Chunk& chunk, int jet) { return nodes_of(chunk, jet) == 1; }

// Where the root's u goes. Its slot is [.. | h_L | h_R | u]; u of a tree that is one leaf is the leaf's state.
std::ptrdiff_t root_input(const Chunk& chunk, int jet) { return chunk.input[chunk.jet_begin[jet]]; }

void store_padded(const float* source, int hidden, int padded, float* target) {
    std::copy_n(source, hidden, target);
    std::fill(target + hidden, target + padded, 0.0f);
}

}  // namespace

Readout readout_named(const std::string& name) {
    if (name == "root") return Readout::root;
    if (name == "children") return Readout::children;
    if (name == "mean") return Readout::mean;
    throw std::invalid_argument("no native readout is called '" + name + "'; expected root, children or mean");
}

int states_of(Readout readout) { return readout == Readout::root ? 1 : 2; }

namespace {

// [h_L, h_R] of each root.
void read_children(const Chunk& chunk, int padded, const float* states, float* target) {
    for (int jet = 0; jet < chunk.jets; ++jet, target += 2 * padded) {
        const float* u = states + root_input(chunk, jet);
        const bool leaf = is_leaf(chunk, jet);
        std::copy_n(leaf ? u : u - 2 * padded, padded, target);
        std::copy_n(leaf ? u : u - padded, padded, target + padded);
    }
}

// [h_root, mean of all h]: every node but the root is a child in exactly one slot.
void read_mean(const Path& path, const SlotLayout& layout, const Chunk& chunk, const float* states, float* target) {
    const int padded = layout.hidden;
    const float* root = states + roots(layout, chunk);
    for (int jet = 0; jet < chunk.jets; ++jet, root += padded)
        for (int copy = 0; copy < 2; ++copy) std::copy_n(root, padded, target + (2 * jet + copy) * padded);
    path.add_children(layout, chunk, states, target);
    for (int jet = 0; jet < chunk.jets; ++jet) {
        float* sum = target + (2 * jet + 1) * padded;
        const float fraction = 1.0f / nodes_of(chunk, jet);
        for (int i = 0; i < padded; ++i) sum[i] *= fraction;
    }
}

void spread_children(const Chunk& chunk, int hidden, int padded, const StateRows& rows, float* gradients) {
    for (int jet = 0; jet < chunk.jets; ++jet) {
        const float *left = rows.data + jet * rows.stride, *right = left + rows.block;
        float* u = gradients + root_input(chunk, jet);
        if (is_leaf(chunk, jet)) {
            store_padded(left, hidden, padded, u);
            for (int i = 0; i < hidden; ++i) u[i] += right[i];
        } else {
            store_padded(left, hidden, padded, u - 2 * padded);
            store_padded(right, hidden, padded, u - padded);
            std::fill_n(u, padded, 0.0f);  // nobody reads the root's own u
        }
    }
}

void spread_roots(const Chunk& chunk, int hidden, int padded, const StateRows& rows, float* root_gradients) {
    for (int jet = 0; jet < chunk.jets; ++jet)
        store_padded(rows.data + jet * rows.stride, hidden, padded, root_gradients + jet * padded);
}

// The part of every node in the mean, and the root's own on top of what it has.
const float* spread_mean(const Chunk& chunk, int hidden, int padded, const StateRows& rows, float* root_gradients,
                         AlignedFloats& memory) {
    float* shared = memory.reserve(static_cast<std::size_t>(chunk.jets) * padded);
    for (int jet = 0; jet < chunk.jets; ++jet) {
        float *flow = shared + jet * padded, *root = root_gradients + jet * padded;
        store_padded(rows.data + jet * rows.stride + rows.block, hidden, padded, flow);
        const float fraction = 1.0f / nodes_of(chunk, jet);
        for (int i = 0; i < padded; ++i) root[i] += flow[i] *= fraction;
    }
    return shared;
}

}  // namespace

const float* read_out(const Path& path, Readout readout, const SlotLayout& layout, const Chunk& chunk,
                      const float* states, AlignedFloats& memory) {
    if (readout == Readout::root) return states + roots(layout, chunk);
    float* target = memory.reserve(static_cast<std::size_t>(chunk.jets) * 2 * layout.hidden);
    if (readout == Readout::children)
        read_children(chunk, layout.hidden, states, target);
    else
        read_mean(path, layout, chunk, states, target);
    return target;
}

const float* spread_gradients(Readout readout, const SlotLayout& layout, const Chunk& chunk, int hidden,
                              const StateRows& embedding_gradient, float* gradients, AlignedFloats& memory) {
    const int padded = layout.hidden;
    if (readout == Readout::children) {
        spread_children(chunk, hidden, padded, embedding_gradient, gradients);
        return nullptr;
    }
    float* root_gradients = gradients + roots(layout, chunk);
    spread_roots(chunk, hidden, padded, embedding_gradient, root_gradients);
    if (readout == Readout::root) return nullptr;
    return spread_mean(chunk, hidden, padded, embedding_gradient, root_gradients, memory);
}

}  // namespace jetgram::engine
