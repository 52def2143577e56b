// What crosses the border between the general code and the kernels of one instruction set: plain structs, and a table
// of functions for each path. Nothing here has inline code, so that nothing can be compiled for the wrong machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "panels.hpp"

namespace jetgram::engine {

// One affine map y = W x + b, in the kernels' layout. All sizes are padded to the vector width; padding is zero.
struct Linear {
    int in;                  // size of x
    int out;                 // size of y
    const float* forward;    // W^T, packed (in x out)
    const float* backward;   // W, packed (out x in); null where no gradient flows to x
    const float* bias;       // (out)
    float* weight_gradient;  // as `forward`; null in inference
    float* bias_gradient;    // (out)
};

// Where the states of a chunk live. Inner node i owns slot i: [own part | h_L | h_R | u]. A child writes its state
// straight into its parent's slot, so that the input of every cell is one contiguous vector, and each gradient has
// exactly one place. The states of the roots follow after the last slot.
struct SlotLayout {
    int hidden;               // q, padded
    std::ptrdiff_t stride;    // floats a slot
    std::ptrdiff_t children;  // where h_L starts; h_R and u follow
    std::ptrdiff_t saved;     // floats a slot that the forward pass keeps for the backward pass
};

// The schedule of a few trees. Slots are numbered by height; rows are the nodes, jet after jet as they are stored.
struct Chunk {
    int jets;
    int slots;                         // all; those after the last level are not worked on
    int levels;
    const int* level_begin;            // (levels + 1) slots of one level depend on lower levels only
    const std::ptrdiff_t* output;      // (slots) where the state of each inner node goes
    const int* jet_begin;              // (jets + 1) first row of each jet
    const float* const* jet_features;  // (jets) features of each jet's first row
    const std::ptrdiff_t* input;       // (rows) where the u of each node goes: for a leaf, that is its state
    const int* slot_jet;               // (slots) the jet of each slot
};

// The memory of a chunk.
struct Memory {
    float* states;     // slots, then the roots (jets, hidden)
    float* gradients;  // of the same shape: dL/dstate; null in inference
    float* saved;      // (slots, saved); in inference one block, used again and again
    float* scratch;    // (OUTER_BLOCK, hidden)
    const float* shared_gradient;  // (jets, hidden) what flows to every state of a jet; null where nothing does
};

inline constexpr int LEVEL_BLOCK = 32;  // nodes that go through a cell together: their rows stay in the first cache
inline constexpr int OUTER_BLOCK = 64;  // nodes summed in registers before a weight gradient is written back
inline constexpr int BLEND_GROUPS = 8;  // of units that a blend cell's gates act on together

// The recursion with one cell. `linear` holds the cell's maps in the order of its parameters, W_u first.
struct CellKernels {
    void (*forward)(const Linear* linear, const SlotLayout&, const Chunk&, const Memory&, bool keep);
    void (*backward)(const Linear* linear, const SlotLayout&, const Chunk&, const Memory&);
};

// The memory of a recurrent unit over the rows of all its steps; see gru.hpp.
struct GruMemory {
    int rows;
    int hidden;       // of a state, padded
    const float* x;   // (rows, inputs)
    float* gates;     // (rows, 3 hidden) z, r and the candidate
    float* before;    // (rows, hidden) the state before each step
    float* reset;     // (rows, hidden) the same, times r
    float* last;      // (sequences, hidden) the states after the last step
    float* gradient;  // (sequences, hidden) dL/dlast, overwritten by the backward pass
    float* dx;        // (rows, inputs) dL/dx; null if nobody asks for it
};

struct Path {
    const char* name;
    PanelShape shape;
    CellKernels simple;
    CellKernels gated;
    CellKernels blend;

    // y = W x + b for rows of x, rectified if asked for.
    void (*affine)(const Linear&, int rows, const float* x, float* y, bool rectify);
    // From dL/dy: adds to the gradients of W and b, and sets dx to dL/dx.
    void (*affine_backward)(const Linear&, int rows, const float* x, const float* dy, float* dx);
    // dx = 0 where the activation y was rectified; n is a multiple of the width.
    void (*rectifier_backward)(int n, const float* y, float* dy);

    // Adds the states of both children of each slot to row 2 jet + 1 of `sums`, (jets, 2, hidden).
    void (*add_children)(const SlotLayout&, const Chunk&, const float* states, float* sums);

    // The recurrent unit: `count` rows in each step. `linear` holds W_zx, W_rx, W_hx, W_zh, W_rh, W_hh.
    void (*gru_forward)(const Linear* linear, const GruMemory&, int steps, const int* count);
    void (*gru_backward)(const Linear* linear, const GruMemory&, int steps, const int* count);

    // Multiply-adds on registers alone, for the speed of the machine; see arithmetic.hpp.
    std::int64_t (*multiply_add)(std::int64_t rounds, float* total);

    // Kernels that the tests look at alone; n is a multiple of the width.
    void (*exp)(int n, const float* x, float* y);
    void (*sigmoid)(int n, const float* x, float* y);
    void (*update)(int hidden, float* z, const float* slot, float* state);
    void (*update_backward)(int hidden, float* z, const float* slot, const float* dstate, float* dslot);
};

const Path& portable_path();
// Null where the compiler cannot build it.
const Path* avx2_path();
const Path* avx512_path();

}  // namespace jetgram::engine
