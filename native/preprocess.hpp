// Preprocessing of many jets: their subjets, and the frame these define.
#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_preprocess(nanobind::module_& m);

}  // namespace jetgram
