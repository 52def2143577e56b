// The arrays that Python gives to the native core. They are taken as they are: an array of another type, order or
// device is refused and never copied, so that what is written reaches the caller.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

#include "../checks.hpp"

namespace jetgram {

template <class T, class... Shape>
using StrictArray = nanobind::ndarray<T, Shape..., nanobind::c_contig, nanobind::device::cpu>;
template <class T, int N>
using Array = StrictArray<T, nanobind::ndim<N>>;

using Momenta = StrictArray<const double, nanobind::shape<-1, 4>>;
using NewMomenta = StrictArray<double, nanobind::shape<-1, 4>>;
using Indices = Array<const std::int64_t, 1>;

// An argument that is not converted.
inline auto strict(const char* name) { return nanobind::arg(name).noconvert(); }

template <class A>
Bytes bytes_of(const A& array, const char* name) {
    return {array.data(), array.nbytes(), name};
}

}  // namespace jetgram
