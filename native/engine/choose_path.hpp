// The kernels for this machine, or those asked for by name.
#pragma once

#include <stdexcept>
#include <string>

#include "../cpu.hpp"
#include "path.hpp"

namespace jetgram::engine {

// The machine is asked first: avx2_path() and avx512_path() are themselves compiled for these instructions.
inline const Path* path_if_runs(const std::string& name) {
    const std::string best = cpu_path();
    if (name == "portable") return &portable_path();
    if (name == "avx2") return best != "portable" ? avx2_path() : nullptr;
    return best == "avx512" ? avx512_path() : nullptr;
}

inline const Path& choose_path(const std::string& name) {
    if (name == "auto") {
        for (const char* candidate : {"avx512", "avx2"})
            if (const Path* path = path_if_runs(candidate)) return *path;
        return portable_path();
    }
    if (name != "avx512" && name != "avx2" && name != "portable")
        throw std::invalid_argument("no path is called '" + name + "'; expected auto, avx512, avx2 or portable");
    if (const Path* path = path_if_runs(name)) return *path;
    throw std::invalid_argument("this machine cannot run the " + name + " path");
}

}  // namespace jetgram::engine
