// The Python module of the native core: one bind_* function a subject, each defined beside its kernels.
#include <nanobind/nanobind.h>

#include "clustering.hpp"
#include "cpu.hpp"
#include "engine/bindings.hpp"
#include "features.hpp"
#include "preprocess.hpp"
#include "validity.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
    m.doc() = "The native core of jetgram.";
    m.def("cpu_path", &jetgram::cpu_path, "The instruction set the kernels use on this machine: 'avx2' or 'portable'.");
    jetgram::bind_clustering(m);
    jetgram::bind_features(m);
    jetgram::bind_preprocess(m);
    jetgram::bind_validity(m);
    jetgram::bind_engine(m);
}
