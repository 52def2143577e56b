// The kernels for machines with AVX2; CMakeLists.txt compiles this file for them.
#define JETGRAM_PATH avx2
#include "kernels.hpp"

#if defined(__AVX2__)
#include "kernels.inc"

namespace jetgram {

const Kernels* avx2_kernels() { return &avx2::table; }

}  // namespace jetgram
#else
namespace jetgram {

const Kernels* avx2_kernels() { return nullptr; }

}  // namespace jetgram
#endif
