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
    tree_ = {nodes.momenta, nodes.children, places, nodes.leaves(), nodes.count};
    columns_ = columns_for(nodes.count);
    kernels().fill_lund_momenta(tree_, columns_);
    kernels().fill_lund_branchings(tree_, columns_);
    const Axis axis = find_axis(columns_, tree_.leaves, tree_.count);
    kernels().fill_lund_directions(tree_, axis.cos, axis.sin, columns_);
    double skew = 0;
    for (std::int64_t leaf = 0; leaf < tree_.leaves; ++leaf) skew += columns_.skew[leaf];
    reflection_ = skew < 0 ? -1 : 1;
}

LundColumns LundFeatures::columns_for(std::int64_t count) {
    const std::int64_t room = whole_vectors(count) + most_lanes_of_singles;
    // Never smaller, so that nothing is filled again.
    if (std::ssize(memory_) < columns_in_memory * room) memory_.resize(columns_in_memory * room, 1.0);
    const auto column = [&](std::int64_t i) { return memory_.data() + i * room; };
    return {column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7),
            {column(8), column(9), column(10), column(11), column(12), column(13)}};
}

void LundFeatures::write(double* row) {
    constexpr std::int64_t leaf_columns = LundRows::leaf_columns, inner_columns = LundRows::inner_columns;
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const auto& logarithms = columns_.logarithms;
    const std::int64_t leaves = tree_.leaves, count = tree_.count;
    for (int i = 0; i < 4; ++i) kernels().take_logarithms(logarithms[i], count);
    for (int i = 4; i < 6; ++i) kernels().take_logarithms(logarithms[i] + leaves, count - leaves);  // leaves have none
    for (std::int64_t node = 0; node < leaves; ++node, row += LUND_FEATURES) {
        for (int i = 0; i < 3; ++i) row[i] = logarithms[i][node];
        row[3] = columns_.u[node];
        row[4] = columns_.v[node] * reflection_;
        row[5] = logarithms[3][node];
        for (int i = 0; i < inner_columns; ++i) row[leaf_columns + i] = missing;
        row[LUND_FEATURES - 1] = 1;
    }
    for (std::int64_t node = leaves; node < count; ++node, row += LUND_FEATURES) {
        for (int i = 0; i < leaf_columns; ++i) row[i] = missing;
        for (int i = 0; i < 6; ++i) row[leaf_columns + i] = logarithms[i][node];
        row[leaf_columns + 6] = columns_.u[node];
        row[leaf_columns + 7] = columns_.v[node] * reflection_;
        row[LUND_FEATURES - 1] = 0;
    }
}

void LundFeatures::write(const std::int32_t* order, const ColumnNumbers& scaling, float* rows) {
    const std::size_t room = LundRows::inner_columns * (tree_.count + most_lanes_of_singles);
    if (scratch_.size() < room) scratch_.resize(room);
    kernels().fill_lund_rows(tree_, columns_, reflection_, {order, scaling, scratch_.data(), rows});
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
