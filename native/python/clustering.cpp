#include "../clustering.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

using Children = StrictArray<std::int32_t, nb::shape<-1, 2>>;

std::int64_t build_trees_of(const Momenta& leaves, const Indices& offsets, const std::string& topology, std::uint64_t seed,
                            int threads, const NewMomenta& momenta, const Children& children) {
    const std::int64_t jets = expect_offsets(offsets.data(), offsets.size(), leaves.shape(0), 1, MAX_LEAVES);
    const std::size_t nodes = 2 * leaves.shape(0) - jets;
    expect(momenta.shape(0), nodes, "length of momenta");
    expect(children.shape(0), nodes, "length of children");
    expect_apart({bytes_of(momenta, "momenta"), bytes_of(children, "children")},
                 {bytes_of(leaves, "leaves"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    return build_trees(leaves.data(), offsets.data(), jets, topology, seed, threads, momenta.data(), children.data());
}

}  // namespace

void bind_clustering(nb::module_& m) {
    m.def("build_trees", &build_trees_of, strict("leaves"), strict("offsets"), nb::arg("topology"), nb::arg("seed"),
          nb::arg("threads"), strict("momenta"), strict("children"), nb::call_guard<nb::gil_scoped_release>(),
          "Fill the node momenta (2 n - jets, 4) and children (2 n - jets, 2) of the trees over jets without fault; return "
          "how many trees were in doubt, and built with exact coordinates.");
}

}  // namespace jetgram
