// The Python module of the native core.
#include "../cpu.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
    m.doc() = "The native core of jetgram.";
    m.def("cpu_path", &jetgram::cpu_path, "The instruction set the kernels use on this machine: 'avx512', 'avx2' or 'portable'.");
    jetgram::bind_clustering(m);
    jetgram::bind_features(m);
    jetgram::bind_preprocess(m);
    jetgram::bind_validity(m);
    jetgram::bind_engine(m);
}
