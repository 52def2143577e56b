// The kernels for machines with AVX2 and fused multiply-add; CMakeLists.txt compiles this file, and no other, for them.
#define JETGRAM_PATH avx2
#include "path.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "path.inc"

namespace jetgram::engine {

const Path* avx2_path() {
    static const Path path = avx2::table("avx2");
    return &path;
}

}  // namespace jetgram::engine
#else
namespace jetgram::engine {

const Path* avx2_path() { return nullptr; }

}  // namespace jetgram::engine
#endif
