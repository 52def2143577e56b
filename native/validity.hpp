// Whether momenta can be physical: the twin of validity.is_physical.
#pragma once

#include <nanobind/nanobind.h>

namespace jetgram {

void bind_validity(nanobind::module_& m);

}  // namespace jetgram
