#include "readout.hpp"

#include <algorithm>
#include <stdexcept>

namespace jetgram::engine {

namespace {

// The states of the roots, (jets, hidden), follow after the last slot.
std::ptrdiff_t roots(const SlotLayout& layout, const Chunk& chunk) { return chunk.slots * layout.stride; }

bool is_leaf(const Chunk& chunk, int jet) { return chunk.jet_begin[jet + 1] - chunk.jet_begin[jet] == 1; }

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
    throw std::invalid_argument("no native readout is called '" + name + "'; expected root or children");
}

int states_of(Readout readout) { return readout == Readout::children ? 2 : 1; }

const float* read_out(Readout readout, const SlotLayout& layout, const Chunk& chunk, const float* states,
                      AlignedFloats& memory) {
    if (readout == Readout::root) return states + roots(layout, chunk);
    const int padded = layout.hidden;
    float* target = memory.reserve(static_cast<std::size_t>(chunk.jets) * 2 * padded);
    for (int jet = 0; jet < chunk.jets; ++jet, target += 2 * padded) {
        const float* u = states + root_input(chunk, jet);
        const bool leaf = is_leaf(chunk, jet);
        std::copy_n(leaf ? u : u - 2 * padded, padded, target);
        std::copy_n(leaf ? u : u - padded, padded, target + padded);
    }
    return memory.data();
}

void spread_gradients(Readout readout, const SlotLayout& layout, const Chunk& chunk, int hidden,
                      const StateRows& embedding_gradient, float* gradients) {
    const int padded = layout.hidden;
    for (int jet = 0; jet < chunk.jets; ++jet) {
        const float* source = embedding_gradient.data + jet * embedding_gradient.stride;
        if (readout == Readout::root) {
            store_padded(source, hidden, padded, gradients + roots(layout, chunk) + jet * padded);
            continue;
        }
        const float* right = source + embedding_gradient.block;
        float* u = gradients + root_input(chunk, jet);
        if (is_leaf(chunk, jet)) {
            store_padded(source, hidden, padded, u);
            for (int i = 0; i < hidden; ++i) u[i] += right[i];
        } else {
            store_padded(source, hidden, padded, u - 2 * padded);
            store_padded(right, hidden, padded, u - padded);
            std::fill_n(u, padded, 0.0f);  // nobody reads the root's own u
        }
    }
}

}  // namespace jetgram::engine
