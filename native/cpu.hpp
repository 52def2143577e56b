// Which instruction set the kernels may use on this machine.
#pragma once

#include <cstdlib>
#include <string_view>

namespace jetgram {

// The environment variable JETGRAM_CPU_PATH=portable chooses the path of machines without AVX2.
inline const char* cpu_path() {
    const char* wish = std::getenv("JETGRAM_CPU_PATH");
    if (wish != nullptr && std::string_view(wish) == "portable") return "portable";
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
    return "portable";
}

}  // namespace jetgram
