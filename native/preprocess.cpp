#include "preprocess.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "alignment.hpp"
#include "subjets.hpp"
#include "threads.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 16;

template <class T, class... Shape>
using Array = nb::ndarray<T, Shape..., nb::c_contig, nb::device::cpu>;
using Momenta = Array<const double, nb::shape<-1, 4>>;
using NewMomenta = Array<double, nb::shape<-1, 4>>;
using Offsets = Array<const std::int64_t, nb::ndim<1>>;
using Labels = Array<const std::int32_t, nb::ndim<1>>;
using NewLabels = Array<std::int32_t, nb::ndim<1>>;

void find_subjets(const Momenta& momenta, const Offsets& offsets, double radius, const NewLabels& labels, int threads) {
    const std::int64_t* cut = offsets.data();
    const std::int64_t jets = static_cast<std::int64_t>(offsets.size()) - 1;
    std::vector<std::unique_ptr<KtSubjets>> finders(std::max(threads, 1));
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        auto& finder = finders[thread];
        if (!finder) finder = std::make_unique<KtSubjets>(radius);
        for (std::int64_t jet = begin; jet < end; ++jet)
            finder->label(momenta.data() + 4 * cut[jet], cut[jet + 1] - cut[jet], labels.data() + cut[jet]);
    });
}

void align_jets(const NewMomenta& momenta, const Offsets& offsets, const Labels& labels, int threads) {
    const std::int64_t* cut = offsets.data();
    const std::int64_t jets = static_cast<std::int64_t>(offsets.size()) - 1;
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t jet = begin; jet < end; ++jet)
            align(momenta.data() + 4 * cut[jet], labels.data() + cut[jet], cut[jet + 1] - cut[jet]);
    });
}

}  // namespace

void bind_preprocess(nb::module_& m) {
    m.def("find_subjets", &find_subjets, nb::arg("momenta"), nb::arg("offsets"), nb::arg("radius"), nb::arg("labels"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
          "Write the number of its kt subjet for each momentum: 0 the hardest in its jet, and so on.");
    m.def("align", &align_jets, nb::arg("momenta"), nb::arg("offsets"), nb::arg("labels"), nb::arg("threads"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Turn, boost and reflect the momenta of each jet in place, into the frame of its three leading subjets.");
}

}  // namespace jetgram
