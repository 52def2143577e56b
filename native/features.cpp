#include "features.hpp"

#include "kernels/kernels.hpp"
#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t columns = FEATURES;
constexpr std::int64_t fraction_column = 4;
constexpr std::int64_t jets_at_a_time = 64;

void fill_fractions(std::int64_t begin, std::int64_t end, double* features) {
    const double jet_energy = features[columns * (end - 1) + ENERGY_FEATURE];
    for (double* row = features + columns * begin; row < features + columns * end; row += columns)
        row[fraction_column] = row[ENERGY_FEATURE] / jet_energy;
}

}  // namespace

void tree_features(const double* momenta, std::int64_t nodes, double* features) {
    kernels().fill_features(momenta, nodes, features);
    fill_fractions(0, nodes, features);
}

void node_features(const double* momenta, const std::int64_t* offsets, std::int64_t jets, int threads,
                   double* features) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        kernels().fill_features(momenta + 4 * offsets[begin], offsets[end] - offsets[begin],
                             features + columns * offsets[begin]);
        for (std::int64_t jet = begin; jet < end; ++jet) fill_fractions(offsets[jet], offsets[jet + 1], features);
    });
}

}  // namespace jetgram
