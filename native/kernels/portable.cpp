// The kernels for any machine, two lanes wide.
#define JETGRAM_PATH portable
#include "kernels.inc"

namespace jetgram {

const Kernels& portable_kernels() { return portable::table; }

}  // namespace jetgram
