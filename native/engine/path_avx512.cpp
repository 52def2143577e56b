// The kernels for machines with AVX-512 (F, DQ, VL); CMakeLists.txt compiles this file, and no other, for them.
#define JETGRAM_PATH avx512
#include "path.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "path.inc"

namespace jetgram::engine {

const Path* avx512_path() {
    static const Path path = avx512::table("avx512");
    return &path;
}

}  // namespace jetgram::engine
#else
namespace jetgram::engine {

const Path* avx512_path() { return nullptr; }

}  // namespace jetgram::engine
#endif
