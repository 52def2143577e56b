#include "preprocess.hpp"

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "alignment.hpp"
#include "checks.hpp"
#include "subjets.hpp"
#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 16;

struct Transverse {
    double x = 0, y = 0;
};

}  // namespace

void find_subjets(const double* momenta, const std::int64_t* offsets, std::int64_t jets, double radius, int threads,
                  std::int32_t* labels) {
    std::vector<std::unique_ptr<KtSubjets>> finders(threads);
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(momenta, offsets[begin], offsets[end]);
        auto& finder = finders[thread];
        if (!finder) finder = std::make_unique<KtSubjets>(radius);
        for (std::int64_t jet = begin; jet < end; ++jet)
            finder->label(momenta + 4 * offsets[jet], offsets[jet + 1] - offsets[jet], labels + offsets[jet]);
    });
}

void keep_hard_subjets(const double* momenta, const std::int64_t* offsets, std::int64_t jets,
                       const std::int32_t* labels, const double* min_pt, int threads, std::uint8_t* kept) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<Transverse> subjets;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            subjets.assign(offsets[jet + 1] - offsets[jet], {});  // there are not more subjets than momenta
            for (std::int64_t i = offsets[jet]; i < offsets[jet + 1]; ++i) {
                subjets[labels[i]].x += momenta[4 * i];
                subjets[labels[i]].y += momenta[4 * i + 1];
            }
            for (std::int64_t i = offsets[jet]; i < offsets[jet + 1]; ++i) {
                const Transverse& pt = subjets[labels[i]];
                kept[i] = labels[i] == 0 || !(std::hypot(pt.x, pt.y) < min_pt[jet]);
            }
        }
    });
}

std::int64_t align_jets(double* momenta, const std::int64_t* offsets, std::int64_t jets, const std::int32_t* labels,
                        int threads) {
    std::atomic<std::int64_t> in_frame{0};
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t found = 0;
        for (std::int64_t jet = begin; jet < end; ++jet)
            found += align(momenta + 4 * offsets[jet], labels + offsets[jet], offsets[jet + 1] - offsets[jet]);
        in_frame += found;
    });
    return in_frame;
}

}  // namespace jetgram
