#include "lund.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "checks.hpp"
#include "threads.hpp"
#include "kernels/kernels.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;
constexpr std::int64_t columns_in_memory = 14;

// The direction from the harder to the softer child of the branching with the largest kT; of equal ones, the last.
struct Axis {
    double cos = 1, sin = 0;
};

Axis find_axis(const LundColumns& columns, std::int64_t leaves, std::int64_t count) {
    double hardest = 0;  // kT^2
    std::int64_t found = -1;
    for (std::int64_t node = leaves; node < count; ++node)
        if (columns.kt2[node] >= hardest) hardest = columns.kt2[node], found = node;
    if (found < 0) return {};
    const double y = columns.y[found], phi = columns.phi[found], distance = std::sqrt(y * y + phi * phi);
    return distance > 0 ? Axis{y / distance, phi / distance} : Axis{};
}

// Leaves come first and have no children; those of inner nodes come before them.
void expect_children(const Nodes& nodes, std::int64_t jet) {
    const std::int64_t leaves = nodes.leaves();
    for (std::int64_t node = 0; node < nodes.count; ++node)
        for (int side = 0; side < 2; ++side) {
            const std::int32_t child = nodes.children[2 * node + side];
            if (node < leaves ? child != -1 : child < 0 || child >= node)
                refuse("child of node " + std::to_string(node) + " of tree " + std::to_string(jet),
                       std::to_string(child), node < leaves ? "-1" : "a node before it");
        }
}

}  // namespace

// Directions relative to the jet are turned and reflected.
void LundFeatures::compute(const Nodes& nodes, const Place* places) {
    const LundTree tree{nodes.momenta, nodes.children, places, nodes.leaves(), nodes.count};
    count_ = nodes.count;
    columns_ = columns_for(nodes.count);
    kernels().fill_lund_momenta(tree, columns_);
    kernels().fill_lund_branchings(tree, columns_);
    const Axis axis = find_axis(columns_, tree.leaves, tree.count);
    kernels().fill_lund_directions(tree, axis.cos, axis.sin, columns_);
    double skew = 0;
    for (std::int64_t leaf = 0; leaf < tree.leaves; ++leaf) skew += columns_.skew[leaf];
    reflection_ = skew < 0 ? -1 : 1;
    take_logarithms(tree.leaves);
}

LundColumns LundFeatures::columns_for(std::int64_t count) {
    const std::int64_t room = whole_vectors(count) + most_lanes;
    memory_.resize(columns_in_memory * room, 1.0);
    const auto column = [&](std::int64_t i) { return memory_.data() + i * room; };
    return {column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7),
            {column(8), column(9), column(10), column(11), column(12), column(13)}};
}

// Of the last two, leaves have none.
void LundFeatures::take_logarithms(std::int64_t leaves) const {
    for (int i = 0; i < 4; ++i) kernels().take_logarithms(columns_.logarithms[i], count_);
    for (int i = 4; i < 6; ++i) kernels().take_logarithms(columns_.logarithms[i] + leaves, count_ - leaves);
}

void lund_features(const double* momenta, const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets,
                   int threads, double* features) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        expect_components(momenta, offsets[begin], offsets[end]);
        LundFeatures lund;
        std::vector<Place> places;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t first = offsets[jet];
            const Nodes nodes{momenta + 4 * first, children + 2 * first, offsets[jet + 1] - first};
            if (nodes.count % 2 == 0) refuse("nodes of tree " + std::to_string(jet), "an even number", "an odd one");
            expect_children(nodes, jet);
            places.resize(nodes.count);
            kernels().fill_places(nodes.momenta, nodes.count, places.data());
            lund.compute(nodes, places.data());
            lund.write(features + LUND_FEATURES * first);
        }
    });
}

}  // namespace jetgram
