// What of the nodes' states the network above reads: the embedding of a jet is one state, or several side by side.
#pragma once

#include <cstddef>
#include <string>

#include "aligned.hpp"
#include "path.hpp"

namespace jetgram::engine {

enum class Readout {
    root,      // the state of the root
    children,  // the states of its two children; of a tree that is one leaf, twice the leaf's
    mean,      // the state of the root, and the mean of the states of all nodes
};

// Throws std::invalid_argument for a name that is not known.
Readout readout_named(const std::string& name);

// How many states an embedding is.
int states_of(Readout readout);

// One row of states a jet: state s of row r begins at data + r * stride + s * block.
struct StateRows {
    const float* data;
    std::ptrdiff_t stride;
    std::ptrdiff_t block;
};

// The embeddings of a chunk, (jets, states, padded hidden): where the recursion left them, or gathered in `memory`.
const float* read_out(const Path& path, Readout readout, const SlotLayout& layout, const Chunk& chunk,
                      const float* states, AlignedFloats& memory);

// The way back: from the gradients of the embeddings, with `hidden` units a state, those of the states that were read.
// Returns what flows to every state of each jet, (jets, padded hidden) in `memory`, or null where nothing does.
const float* spread_gradients(Readout readout, const SlotLayout& layout, const Chunk& chunk, int hidden,
                              const StateRows& embedding_gradient, float* gradients, AlignedFloats& memory);

}  // namespace jetgram::engine
