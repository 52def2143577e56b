// The Python module in parts: one function a subject. Each checks what it is given and calls the library, which knows
// nothing of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_clustering(nanobind::module_& m);
void bind_features(nanobind::module_& m);
void bind_preprocess(nanobind::module_& m);
void bind_validity(nanobind::module_& m);
void bind_engine(nanobind::module_& m);
void bind_event_engine(nanobind::module_& m);
void bind_engine_kernels(nanobind::module_& m);

}  // namespace jetgram
