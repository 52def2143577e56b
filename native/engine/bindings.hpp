#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_engine(nanobind::module_& m);
void bind_event_engine(nanobind::module_& m);
void bind_engine_kernels(nanobind::module_& m);

}  // namespace jetgram
