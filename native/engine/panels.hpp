// How the columns of a matrix are cut into panels: the widest that a register tile can hold, as even as possible.
//
// A packed matrix (depth x columns) is a row of panels; each panel holds its columns contiguously for every row, so the
// panel that starts at column c starts at element depth * c. `static`: each translation unit has its own copy.
#pragma once

namespace jetgram::engine {

// How wide the panels of a path are.
struct PanelShape {
    int width;      // floats per vector: rows are padded to a multiple
    int unit;       // floats per register of a tile, a multiple of the width
    int registers;  // per panel, at most
};

// Calls visit(first column, columns) for each panel; columns are a multiple of the width.
template <class Visit>
static inline __attribute__((always_inline)) void for_each_panel(int columns, const PanelShape& shape, Visit&& visit) {
    const int units = (columns + shape.unit - 1) / shape.unit;
    const int panels = (units + shape.registers - 1) / shape.registers;
    for (int panel = 0, column = 0; panel < panels; ++panel) {
        const int wanted = (units / panels + (panel < units % panels ? 1 : 0)) * shape.unit;
        const int size = wanted < columns - column ? wanted : columns - column;
        visit(column, size);
        column += size;
    }
}

}  // namespace jetgram::engine
