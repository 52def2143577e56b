#include "../preprocess.hpp"

#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr double MAX_RADIUS = 1e6;  // its square stays finite

using Labels = Array<const std::int32_t, 1>;
using NewLabels = Array<std::int32_t, 1>;
using Reals = Array<const double, 1>;
using NewFlags = Array<bool, 1>;

template <class A>
std::int64_t jets_of(const A& momenta, const Indices& offsets) {
    return expect_offsets(offsets.data(), offsets.size(), momenta.shape(0), 1, MAX_LEAVES);
}

void find_subjets_of(const Momenta& momenta, const Indices& offsets, double radius, const NewLabels& labels,
                     int threads) {
    const std::int64_t jets = jets_of(momenta, offsets);
    expect(labels.size(), momenta.shape(0), "length of labels");
    expect_apart({bytes_of(labels, "labels")}, {bytes_of(momenta, "momenta"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    if (!(radius > 0 && radius < MAX_RADIUS)) refuse("radius", std::to_string(radius), "a positive number below 1e6");
    find_subjets(momenta.data(), offsets.data(), jets, radius, threads, labels.data());
}

void keep_hard_subjets_of(const Momenta& momenta, const Indices& offsets, const Labels& labels, const Reals& min_pt,
                          int threads, const NewFlags& kept) {
    const std::int64_t jets = jets_of(momenta, offsets);
    expect_labels(labels.data(), labels.size(), offsets.data(), jets);
    expect(min_pt.size(), static_cast<std::size_t>(jets), "length of min_pt");
    expect(kept.size(), momenta.shape(0), "length of kept");
    expect_apart({bytes_of(kept, "kept")},
                 {bytes_of(offsets, "offsets"), bytes_of(labels, "labels"), bytes_of(momenta, "momenta"),
                  bytes_of(min_pt, "min_pt")});
    expect_threads(threads);
    keep_hard_subjets(momenta.data(), offsets.data(), jets, labels.data(), min_pt.data(), threads,
                      reinterpret_cast<std::uint8_t*>(kept.data()));
}

std::int64_t align_jets_of(const NewMomenta& momenta, const Indices& offsets, const Labels& labels, int threads) {
    const std::int64_t jets = jets_of(momenta, offsets);
    expect_labels(labels.data(), labels.size(), offsets.data(), jets);
    expect_apart({bytes_of(momenta, "momenta")}, {bytes_of(offsets, "offsets"), bytes_of(labels, "labels")});
    expect_threads(threads);
    return align_jets(momenta.data(), offsets.data(), jets, labels.data(), threads);
}

}  // namespace

void bind_preprocess(nb::module_& m) {
    m.def("find_subjets", &find_subjets_of, strict("momenta"), strict("offsets"), nb::arg("radius"), strict("labels"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
          "Write the number of its kt subjet for each momentum: 0 the hardest in its jet, and so on.");
    m.def("keep_hard_subjets", &keep_hard_subjets_of, strict("momenta"), strict("offsets"), strict("labels"),
          strict("min_pt"), nb::arg("threads"), strict("kept"), nb::call_guard<nb::gil_scoped_release>(),
          "Write whether each momentum belongs to the hardest subjet of its jet or to one with at least `min_pt`.");
    m.def("align", &align_jets_of, strict("momenta"), strict("offsets"), strict("labels"), nb::arg("threads"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Turn, boost and reflect the momenta of each jet in place, into the frame of its three leading subjets; return "
          "how many of those with two subjets were in it before.");
}

}  // namespace jetgram
