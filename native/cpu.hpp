// Which instruction set the kernels may use on this machine.
#pragma once

#include <cstdlib>
#include <string_view>

namespace jetgram {

// The best of `avx512`, `avx2` and `portable` that the machine has; the environment variable JETGRAM_CPU_PATH chooses a
// lesser one by name.
inline const char* cpu_path() {
    const char* variable = std::getenv("JETGRAM_CPU_PATH");
    const std::string_view wish = variable ? variable : "";
    if (wish == "portable") return "portable";
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl");
    if (avx512 && wish != "avx2") return "avx512";
    if (avx2) return "avx2";
#endif
    return "portable";
}

}  // namespace jetgram
