// The kernels for this machine, or those asked for by name.
#pragma once

#include <stdexcept>
#include <string>

#include "../cpu.hpp"
#include "path.hpp"

namespace jetgram::engine {

inline const Path& choose_path(const std::string& name) {
    // The machine is asked first: avx2_path() itself is compiled with AVX2.
    const Path* avx2 = std::string(cpu_path()) == "avx2" ? avx2_path() : nullptr;
    if (name == "auto") return avx2 ? *avx2 : portable_path();
    if (name == "portable") return portable_path();
    if (name != "avx2")
        throw std::invalid_argument("no path is called '" + name + "'; expected auto, avx2 or portable");
    if (!avx2) throw std::invalid_argument("this machine cannot run the avx2 path");
    return *avx2;
}

}  // namespace jetgram::engine
