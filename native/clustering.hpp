// The trees of many jets, in any topology.
#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_clustering(nanobind::module_& m);

}  // namespace jetgram
