#include "kernels.hpp"

#include <string_view>

#include "../cpu.hpp"

namespace jetgram {

namespace {

// The machine is asked first: the functions of a path may themselves be compiled for it.
const Kernels& choose() {
    const std::string_view best = cpu_path();
    const Kernels* found = nullptr;
    if (best == "avx512") found = avx512_kernels();
    if (best != "portable" && !found) found = avx2_kernels();
    return found ? *found : portable_kernels();
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace jetgram
