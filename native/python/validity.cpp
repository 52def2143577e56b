#include "../validity.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

bool all_physical_of(const Momenta& momenta, double rounding, double largest, int threads) {
    expect_threads(threads);
    return all_physical(momenta.data(), static_cast<std::int64_t>(momenta.shape(0)), rounding, largest, threads);
}

}  // namespace

void bind_validity(nb::module_& m) {
    m.def("all_physical", &all_physical_of, strict("momenta"), nb::arg("rounding"), nb::arg("largest"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(), "Whether each of the momenta is physical.");
}

}  // namespace jetgram
