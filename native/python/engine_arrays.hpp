// The arrays that Python gives to the engines, and what is checked of them.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "../engine/parameters.hpp"
#include "../engine/schedule.hpp"

namespace jetgram {

using Floats = Array<const float, 1>;
using Rows = Array<const float, 2>;
using Flags = Array<const bool, 1>;

template <class A>
void expect_rows(const A& rows, std::size_t count, std::size_t columns, const char* what) {
    expect(rows.shape(0), count, (std::string("rows of ") + what).c_str());
    expect(rows.shape(1), columns, (std::string("columns of ") + what).c_str());
}

// An output that shares no memory with what is indexed with, and a number of threads.
template <class Output>
void expect_output(const Output& out, int threads, std::initializer_list<Bytes> indexed_with) {
    expect_apart({bytes_of(out, "output")}, indexed_with);
    expect_threads(threads);
}

inline engine::Forest forest_of(const Rows& features, const Flags& inner, const Indices& offsets) {
    expect(inner.shape(0), features.shape(0), "length of inner");
    expect_range(static_cast<std::int64_t>(features.shape(1)), 0, MAX_UNITS, "columns of features");
    if (offsets.shape(0) < 1) refuse("offsets of trees", "none", "one more than trees");
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
