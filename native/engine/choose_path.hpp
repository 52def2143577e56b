// The kernels for this machine, or those asked for by name.
#pragma once

#include <stdexcept>
#include <string>

#include "../cpu.hpp"
#include "path.hpp"

namespace jetgram::engine {

inline const Path& choose_path(const std::string& name) {
    const bool can_avx2 = avx2_path() && std::string(cpu_path()) == "avx2";
    if (name == "portable" || (name == "auto" && !can_avx2)) return portable_path();
    if (name != "auto" && name != "avx2")
        throw std::invalid_argument("no path is called '" + name + "'; expected auto, avx2 or portable");
    if (!can_avx2) throw std::invalid_argument("this machine cannot run the avx2 path");
    return *avx2_path();
}

}  // namespace jetgram::engine
