// The kernels for any machine, with the compiler's generic vectors of four floats.
#define JETGRAM_PATH portable
#include "path.inc"

namespace jetgram::engine {

const Path& portable_path() {
    static const Path path = portable::table("portable");
    return path;
}

}  // namespace jetgram::engine
