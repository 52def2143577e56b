#include "tree_rows.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "checks.hpp"
#include "engine/schedule.hpp"
#include "features.hpp"
#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 16;

// In single precision; false where a number is too large for it. NaN stays: it stands for a feature that is missing.
bool narrow(const double* values, std::int64_t n, float* singles) {
    constexpr auto infinity = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    std::uint32_t found = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        singles[i] = static_cast<float>(values[i]);
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(singles[i]) & 0x7fffffffu;
        found |= static_cast<std::uint32_t>(magnitude == infinity);
    }
    return found == 0;
}

// Row r becomes the one of node order[r].
template <std::int64_t columns>
void copy_rows(const float* nodes, const std::vector<std::int64_t>& order, float* rows) {
    for (const std::int64_t node : order) {
        std::memcpy(rows, nodes + columns * node, columns * sizeof(float));
        rows += columns;
    }
}

}  // namespace

NodeFeatures features_named(const std::string& name) {
    if (name == "paper") return NodeFeatures::paper;
    if (name == "lund") return NodeFeatures::lund;
    throw std::invalid_argument("no features '" + name + "'");
}

std::int64_t columns_of(NodeFeatures features) { return features == NodeFeatures::lund ? LUND_FEATURES : FEATURES; }

TreeRows::TreeRows(const std::string& topology, std::uint64_t seed, NodeFeatures features) : features_(features) {
    if (const std::optional<Power> power = power_of(topology))
        clustering_.emplace(*power);
    else
        builder_ = tree_builder(topology, seed);
}

bool TreeRows::fill(const double* constituents, std::int64_t n, float* features, std::uint8_t* inner) {
    const std::int64_t nodes = 2 * n - 1, columns = columns_of(features_);
    momenta_.resize(4 * nodes);
    children_.resize(2 * nodes);
    order_.resize(nodes);
    values_.resize(columns * nodes);
    singles_.resize(columns * nodes);
    Tree tree(momenta_.data(), children_.data(), constituents, n);
    build(tree);
    compute({momenta_.data(), children_.data(), nodes});
    const std::int64_t offsets[2] = {0, nodes};
    engine::breadth_first(children_.data(), offsets, 1, 1, order_.data(), inner);
    const bool all_fit = narrow(values_.data(), columns * nodes, singles_.data());
    if (features_ == NodeFeatures::paper)
        copy_rows<FEATURES>(singles_.data(), order_, features);
    else
        copy_rows<LUND_FEATURES>(singles_.data(), order_, features);
    return all_fit;
}

void TreeRows::build(Tree& tree) {
    if (clustering_)
        clustering_->build(tree);
    else
        builder_(tree);
}

void TreeRows::compute(const Nodes& nodes) {
    if (features_ == NodeFeatures::paper) return tree_features(nodes.momenta, nodes.count, values_.data());
    if (clustering_) return lund_.fill(nodes, clustering_->places(), values_.data());
    places_.resize(nodes.count);
    for (std::int64_t node = 0; node < nodes.count; ++node) {
        const double* p = nodes.momenta + 4 * node;
        places_[node] = place_of(p, pt2_of(p));
    }
    lund_.fill(nodes, places_.data(), values_.data());
}

std::int64_t fill_tree_rows(const double* constituents, const std::int64_t* offsets, std::int64_t jets,
                            const std::string& topology, std::uint64_t seed, NodeFeatures features, int threads,
                            float* rows, std::uint8_t* inner) {
    std::vector<std::optional<TreeRows>> readers(threads);
    std::atomic<std::int64_t> too_large{jets};
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(constituents, offsets[begin], offsets[end]);
        auto& reader = readers[thread];
        if (!reader) reader.emplace(topology, seed, features);
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t row = first_node(offsets[jet], jet);
            if (reader->fill(constituents + 4 * offsets[jet], offsets[jet + 1] - offsets[jet],
                             rows + columns_of(features) * row, inner + row))
                continue;
            std::int64_t before = too_large;
            while (jet < before && !too_large.compare_exchange_weak(before, jet)) {
            }
        }
    });
    return too_large < jets ? too_large.load() : -1;
}

}  // namespace jetgram
