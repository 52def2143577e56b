// The table of cells: what parameters each has, how its slots look, and its kernels.
#pragma once

#include <string>
#include <vector>

#include "parameters.hpp"
#include "path.hpp"

namespace jetgram::engine {

struct CellSpec {
    std::vector<LinearSpec> maps;  // W_u first
    SlotLayout slots;
    CellKernels kernels;
};

// Throws std::invalid_argument for a name that is not in the table.
CellSpec cell_named(const std::string& name, int features, int hidden, const Path& path);

}  // namespace jetgram::engine
