#include "preprocess.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "alignment.hpp"
#include "arrays.hpp"
#include "subjets.hpp"
#include "threads.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 16;
constexpr double MAX_RADIUS = 1e6;  // its square stays finite

using Labels = Array<const std::int32_t, 1>;
using NewLabels = Array<std::int32_t, 1>;

void find_subjets(const Momenta& momenta, const Indices& offsets, double radius, const NewLabels& labels, int threads) {
    const std::int64_t* cut = offsets.data();
    const std::int64_t jets = expect_offsets(cut, offsets.size(), momenta.shape(0), 1, MAX_LEAVES);
    expect(labels.size(), momenta.shape(0), "length of labels");
    expect_apart({bytes_of(labels, "labels")}, {bytes_of(momenta, "momenta"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    if (!(radius > 0 && radius < MAX_RADIUS)) refuse("radius", std::to_string(radius), "a positive number below 1e6");
    std::vector<std::unique_ptr<KtSubjets>> finders(threads);
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(momenta.data(), cut[begin], cut[end]);
        auto& finder = finders[thread];
        if (!finder) finder = std::make_unique<KtSubjets>(radius);
        for (std::int64_t jet = begin; jet < end; ++jet)
            finder->label(momenta.data() + 4 * cut[jet], cut[jet + 1] - cut[jet], labels.data() + cut[jet]);
    });
}

std::int64_t align_jets(const NewMomenta& momenta, const Indices& offsets, const Labels& labels, int threads) {
    const std::int64_t* cut = offsets.data();
    const std::int64_t jets = expect_offsets(cut, offsets.size(), momenta.shape(0), 1, MAX_LEAVES);
    expect_labels(labels.data(), labels.size(), cut, jets);
    expect_apart({bytes_of(momenta, "momenta")}, {bytes_of(offsets, "offsets"), bytes_of(labels, "labels")});
    expect_threads(threads);
    std::atomic<std::int64_t> in_frame{0};
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t found = 0;
        for (std::int64_t jet = begin; jet < end; ++jet)
            found += align(momenta.data() + 4 * cut[jet], labels.data() + cut[jet], cut[jet + 1] - cut[jet]);
        in_frame += found;
    });
    return in_frame;
}

}  // namespace

void bind_preprocess(nb::module_& m) {
    m.def("find_subjets", &find_subjets, strict("momenta"), strict("offsets"), nb::arg("radius"), strict("labels"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(),
          "Write the number of its kt subjet for each momentum: 0 the hardest in its jet, and so on.");
    m.def("align", &align_jets, strict("momenta"), strict("offsets"), strict("labels"), nb::arg("threads"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Turn, boost and reflect the momenta of each jet in place, into the frame of its three leading subjets; return "
          "how many of those with two subjets were in it before.");
}

}  // namespace jetgram
