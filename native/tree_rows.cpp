#include "tree_rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "checks.hpp"
#include "features.hpp"
#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;  // so that those of similar size can be clustered together

// In single precision; false where a number is too large for it. NaN stays: it stands for a feature that is missing.
bool narrow(const double* values, std::int64_t n, float* narrowed) {
    constexpr auto infinity = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
    std::uint32_t found = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        narrowed[i] = static_cast<float>(values[i]);
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(narrowed[i]) & 0x7fffffffu;
        found |= static_cast<std::uint32_t>(magnitude == infinity);
    }
    return found == 0;
}

}  // namespace

NodeFeatures features_named(const std::string& name) {
    if (name == "paper") return NodeFeatures::paper;
    if (name == "lund") return NodeFeatures::lund;
    throw std::invalid_argument("no features '" + name + "'");
}

std::int64_t columns_of(NodeFeatures features) { return features == NodeFeatures::lund ? LUND_FEATURES : FEATURES; }

TreeRows::TreeRows(const std::string& topology, std::uint64_t seed, NodeFeatures features,
                   const ColumnScaling* scaling)
    : features_(features), scaling_(scaling), builder_(tree_builder(topology, seed)) {}

std::int64_t TreeRows::fill(const double* constituents, const std::int64_t* offsets, std::int64_t begin,
                            std::int64_t end, float* rows, std::uint8_t* inner, std::int32_t* nodes) {
    build(constituents, offsets, begin, end);
    std::int64_t too_large = -1;
    for (std::int64_t jet = end - 1; jet >= begin; --jet) {
        const std::int64_t row = first_node(offsets[jet], jet), place = row - first_node(offsets[begin], begin);
        const Nodes tree{momenta_.data() + 4 * place, children_.data() + 2 * place, trees_[jet - begin].size()};
        float* own = rows + columns_of(features_) * row;
        sort(tree, inner + row);
        if (nodes) std::copy_n(order_.begin(), tree.count, nodes + row);
        if (features_ == NodeFeatures::lund)
            write_lund(tree, own);  // logarithms fit, whatever the jet
        else if (!write_paper(tree, own))
            too_large = jet;
    }
    return too_large;
}

void TreeRows::build(const double* constituents, const std::int64_t* offsets, std::int64_t begin, std::int64_t end) {
    const std::int64_t first = first_node(offsets[begin], begin), nodes = first_node(offsets[end], end) - first;
    momenta_.resize(4 * nodes);
    children_.resize(2 * nodes);
    trees_.clear();
    for (std::int64_t jet = begin; jet < end; ++jet) {
        const std::int64_t place = first_node(offsets[jet], jet) - first;
        trees_.emplace_back(momenta_.data() + 4 * place, children_.data() + 2 * place, constituents + 4 * offsets[jet],
                            offsets[jet + 1] - offsets[jet]);
    }
    builder_(trees_);
}

// The node in each row, breadth first. Without branches: which nodes have children, nobody could predict.
void TreeRows::sort(const Nodes& nodes, std::uint8_t* inner) {
    order_.resize(nodes.count + 2);  // two more: children are written before it is known whether there are any
    std::int64_t known = 0;
    order_[known++] = static_cast<std::int32_t>(nodes.count - 1);
    for (std::int64_t row = 0; row < nodes.count; ++row) {
        const std::int32_t* pair = nodes.children + 2 * order_[row];
        inner[row] = pair[0] >= 0;
        order_[known] = pair[0];
        order_[known + 1] = pair[1];
        known += 2 * inner[row];
    }
}

bool TreeRows::write_paper(const Nodes& nodes, float* rows) {
    narrowed_.resize(FEATURES * nodes.count);
    values_.resize(FEATURES * nodes.count);
    tree_features(nodes.momenta, nodes.count, values_.data());
    const bool fits = narrow(values_.data(), FEATURES * nodes.count, narrowed_.data());
    for (std::int64_t row = 0; row < nodes.count; ++row)
        std::memcpy(rows + FEATURES * row, narrowed_.data() + FEATURES * order_[row], FEATURES * sizeof(float));
    if (scaling_) scaling_->apply(rows, nodes.count);
    return fits;
}

void TreeRows::write_lund(const Nodes& nodes, float* rows) {
    places_.resize(nodes.count);
    kernels().fill_places(nodes.momenta, nodes.count, places_.data());
    lund_.compute(nodes, places_.data());
    lund_.write(order_.data(), scaling_ ? scaling_->numbers() : ColumnNumbers{}, rows);
}

std::int64_t fill_tree_rows(const double* constituents, const std::int64_t* offsets, std::int64_t jets,
                            const std::string& topology, std::uint64_t seed, NodeFeatures features,
                            const ColumnScaling* scaling, int threads, float* rows, std::uint8_t* inner) {
    std::vector<std::optional<TreeRows>> readers(threads);
    std::atomic<std::int64_t> too_large{jets};
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(constituents, offsets[begin], offsets[end]);
        auto& reader = readers[thread];
        if (!reader) reader.emplace(topology, seed, features, scaling);
        const std::int64_t found = reader->fill(constituents, offsets, begin, end, rows, inner);
        std::int64_t before = too_large;
        while (found >= 0 && found < before && !too_large.compare_exchange_weak(before, found)) {
        }
    });
    return too_large < jets ? too_large.load() : -1;
}

}  // namespace jetgram
