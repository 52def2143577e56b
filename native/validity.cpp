#include "validity.hpp"

#include <atomic>
#include <cmath>

#include "arrays.hpp"
#include "coordinates.hpp"
#include "threads.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr std::int64_t momenta_at_a_time = 1 << 16;

// False for NaN as well.
inline bool is_physical(const double* p, double rounding, double largest) {
    const double size = std::sqrt(pt2_of(p) + p[2] * p[2]);
    return size <= p[3] * (1 + rounding) && p[3] > 0 && p[3] < largest;
}

bool all_physical(const Momenta& momenta, double rounding, double largest, int threads) {
    expect_threads(threads);
    std::atomic<bool> good{true};
    const auto n = static_cast<std::int64_t>(momenta.shape(0));
    parallel_blocks(n, momenta_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        bool all = true;
        for (std::int64_t i = begin; i < end; ++i) all &= is_physical(momenta.data() + 4 * i, rounding, largest);
        if (!all) good = false;
    });
    return good;
}

}  // namespace

void bind_validity(nb::module_& m) {
    m.def("all_physical", &all_physical, strict("momenta"), nb::arg("rounding"), nb::arg("largest"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(), "Whether each of the momenta is physical.");
}

}  // namespace jetgram
