// The kernels for machines with AVX-512; CMakeLists.txt compiles this file for them.
#define JETGRAM_PATH avx512
#include "kernels.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "kernels.inc"

namespace jetgram {

const Kernels* avx512_kernels() { return &avx512::table; }

}  // namespace jetgram
#else
namespace jetgram {

const Kernels* avx512_kernels() { return nullptr; }

}  // namespace jetgram
#endif
