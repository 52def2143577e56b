// How the columns of a matrix are cut into panels: the widest that a register tile can hold, as even as possible.
//
// A packed matrix (depth x columns) is a row of panels; each panel holds its columns contiguously for every row, so the
// panel that starts at column c starts at element depth * c. `static`: each translation unit has its own copy.
#pragma once

namespace jetgram::engine {

inline constexpr int PANEL_VECTORS = 5;  // five vectors by two nodes: ten accumulators out of sixteen registers

// Calls visit(first column, columns) for each panel.
template <class Visit>
static inline __attribute__((always_inline)) void for_each_panel(int columns, int width, Visit&& visit) {
    const int vectors = columns / width;
    const int panels = (vectors + PANEL_VECTORS - 1) / PANEL_VECTORS;
    for (int panel = 0, column = 0; panel < panels; ++panel) {
        const int size = (vectors / panels + (panel < vectors % panels ? 1 : 0)) * width;
        visit(column, size);
        column += size;
    }
}

}  // namespace jetgram::engine
