// The seven features of each node of many trees.
#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_features(nanobind::module_& m);

}  // namespace jetgram
