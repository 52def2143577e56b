// The kernels for machines with AVX2 and fused multiply-add; CMakeLists.txt compiles this file with -march=x86-64-v3.
#define JETGRAM_PATH avx2
#include "path.inc"

namespace jetgram::engine {

const Path* avx2_path() {
#if JETGRAM_HAS_AVX2
    static const Path path = avx2::table("avx2");
    return &path;
#else
    return nullptr;
#endif
}

}  // namespace jetgram::engine
