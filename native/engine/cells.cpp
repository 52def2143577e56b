#include "cells.hpp"

#include <stdexcept>

#include "../checks.hpp"

namespace jetgram::engine {

namespace {

// Axes in blocks of the hidden size, padded to the vectors of the path.
struct Blocks {
    int hidden;
    PanelShape shape;

    Axis of(int count) const { return {std::vector<int>(count, hidden), shape}; }
    int padded() const { return of(1).padded(); }
};

constexpr PanelShape NOT_PADDED{1, 1, 1};  // features are read as they are stored

LinearSpec node_input_map(int features, const Blocks& q) { return {"W_u", "b_u", Axis{{features}, NOT_PADDED}, q.of(1), false}; }

// Slot: [h_L, h_R, u]; saved: the gradient before the rectifier.
CellSpec simple(int features, const Blocks& q, const Path& path) {
    const int hidden = q.padded();
    return {{node_input_map(features, q), {"W_h", "b_h", q.of(3), q.of(1), true}},
            {hidden, 3 * hidden, 0, hidden},
            path.simple};
}

// Slot: [candidate, h_L, h_R, u]; saved: reset inputs (3), reset gates (3), update gates (4).
CellSpec gated(int features, const Blocks& q, const Path& path) {
    const int hidden = q.padded();
    return {{node_input_map(features, q),
             {"W_h", "b_h", q.of(3), q.of(1), true},
             {"W_z", "b_z", q.of(4), q.of(4), true},
             {"W_r", "b_r", q.of(3), q.of(3), true}},
            {hidden, 4 * hidden, hidden, 10 * hidden},
            path.gated};
}

// Slot: [h_L, h_R, u]; saved: the sums of the candidate and of the three gates.
CellSpec blend(int features, const Blocks& q, const Path& path) {
    const int hidden = q.padded();
    const Axis out{{q.hidden, BLEND_GROUPS, BLEND_GROUPS, BLEND_GROUPS}, q.shape};
    return {{node_input_map(features, q), {"W_h", "b_h", q.of(3), out, true}},
            {hidden, 3 * hidden, 0, out.padded()},
            path.blend};
}

}  // namespace

CellSpec cell_named(const std::string& name, int features, int hidden, const Path& path) {
    expect_range(features, 1, MAX_UNITS, "features of a cell");
    expect_range(hidden, 1, MAX_UNITS, "hidden units of a cell");
    const Blocks q{hidden, path.shape};
    if (name == "simple") return simple(features, q, path);
    if (name == "gated") return gated(features, q, path);
    if (name == "blend") return blend(features, q, path);
    throw std::invalid_argument("no native cell is called '" + name + "'; expected simple, gated or blend");
}

}  // namespace jetgram::engine
