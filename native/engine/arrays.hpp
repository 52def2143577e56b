// The arrays that Python gives to the engines, and what is checked of them.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "parameters.hpp"
#include "schedule.hpp"

namespace jetgram {

template <class T, int N>
using Array = nanobind::ndarray<T, nanobind::ndim<N>, nanobind::c_contig, nanobind::device::cpu>;
using Floats = Array<const float, 1>;
using Rows = Array<const float, 2>;
using Flags = Array<const bool, 1>;
using Indices = Array<const std::int64_t, 1>;

inline void expect(std::size_t found, std::size_t expected, const char* what) {
    if (found != expected)
        throw std::invalid_argument(std::string(what) + ": found " + std::to_string(found) + ", expected " +
                                    std::to_string(expected));
}

inline void expect_rows(const Rows& rows, std::size_t count, std::size_t columns, const char* what) {
    expect(rows.shape(0), count, (std::string("rows of ") + what).c_str());
    expect(rows.shape(1), columns, (std::string("columns of ") + what).c_str());
}

inline engine::Forest forest_of(const Rows& features, const Flags& inner, const Indices& offsets) {
    expect(inner.shape(0), features.shape(0), "length of inner");
    if (offsets.shape(0) < 1) throw std::invalid_argument("offsets are empty; expected jets + 1 of them");
    return {features.data(),
            reinterpret_cast<const std::uint8_t*>(inner.data()),
            offsets.data(),
            static_cast<std::int64_t>(offsets.shape(0)) - 1,
            static_cast<std::int64_t>(features.shape(0)),
            static_cast<int>(features.shape(1))};
}

using Shape = std::vector<int>;

// Names and shapes of the parameters in the order of the flat vector.
inline std::vector<std::tuple<std::string, Shape>> parameter_shapes(const std::vector<engine::LinearSpec>& maps) {
    std::vector<std::tuple<std::string, Shape>> list;
    for (const engine::LinearSpec& map : maps) {
        list.emplace_back(map.weight, Shape{map.out.size(), map.in.size()});
        if (map.has_bias()) list.emplace_back(map.bias, Shape{map.out.size()});
    }
    return list;
}

}  // namespace jetgram
