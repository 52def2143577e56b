// Which instruction set the kernels may use on this machine.
#pragma once

namespace jetgram {

inline const char* cpu_path() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
#endif
    return "portable";
}

}  // namespace jetgram
