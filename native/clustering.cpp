#include "clustering.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "many_trees.hpp"
#include "random.hpp"
#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;  // so that those of similar size can be clustered together

TreeBuilder generalised_kt(Power power) {
    auto clustering = std::make_shared<ManyTrees>(power);
    return [clustering](std::span<Tree> trees) { return clustering->build(trees); };
}

// Each tree by itself.
template <class Build>
TreeBuilder one_by_one(Build build) {
    return [build](std::span<Tree> trees) mutable {
        for (Tree& tree : trees) build(tree);
        return std::int64_t{0};
    };
}

// Two different momenta out of those left are joined, all pairs equally likely. The random numbers follow from the seed
// and from the momenta alone, and the momenta are numbered by their keys: a jet has the same tree in any company, and
// with its constituents in any order.
TreeBuilder random_pairs(std::uint64_t seed) {
    return one_by_one([seed, keys = std::vector<std::pair<std::uint64_t, std::int64_t>>(),
                       active = std::vector<std::int64_t>()](Tree& tree) mutable {
        keys.resize(tree.leaves());
        active.resize(tree.leaves());
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < tree.leaves(); ++i) {
            keys[i] = {momentum_key(seed, tree.momentum(i)), i};
            sum += keys[i].first;
        }
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 0; i < keys.size(); ++i) active[i] = keys[i].second;
        SplitMix random(sum);
        while (active.size() > 1) {
            const auto n = static_cast<std::int64_t>(active.size());
            const std::int64_t first = random.below(n);
            const std::int64_t drawn = random.below(n - 1);
            const std::int64_t second = drawn + (drawn >= first);
            active[std::min(first, second)] = tree.join(active[first], active[second]);
            active[std::max(first, second)] = active.back();
            active.pop_back();
        }
    });
}

// A chain: the first two momenta in the order of pT are joined, then each next one is added. Equal pT: lower index first.
template <class Before>
TreeBuilder chain(Before before) {
    return one_by_one([before, order = std::vector<std::pair<double, std::int64_t>>()](Tree& tree) mutable {
        order.resize(tree.leaves());
        for (std::int64_t i = 0; i < tree.leaves(); ++i) order[i] = {tree.pt2(i), i};
        std::stable_sort(order.begin(), order.end(),
                         [&](const auto& a, const auto& b) { return before(a.first, b.first); });
        std::int64_t node = order[0].second;
        for (std::size_t i = 1; i < order.size(); ++i) node = tree.join(node, order[i].second);
    });
}

}  // namespace

std::optional<Power> power_of(const std::string& topology) {
    if (topology == "kt") return Power::kt;
    if (topology == "ca") return Power::cambridge_aachen;
    if (topology == "antikt") return Power::anti_kt;
    return std::nullopt;
}

TreeBuilder tree_builder(const std::string& topology, std::uint64_t seed) {
    if (const std::optional<Power> power = power_of(topology)) return generalised_kt(*power);
    if (topology == "random") return random_pairs(seed);
    if (topology == "asc-pt") return chain(std::greater<>());
    if (topology == "desc-pt") return chain(std::less<>());
    throw std::invalid_argument("no topology '" + topology + "'");
}

std::int64_t build_trees(const double* leaves, const std::int64_t* offsets, std::int64_t jets,
                         const std::string& topology, std::uint64_t seed, int threads, double* momenta,
                         std::int32_t* children) {
    std::atomic<std::int64_t> doubtful{0};
    std::vector<TreeBuilder> builders;
    for (int t = 0; t < threads; ++t) builders.push_back(tree_builder(topology, seed));
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(leaves, offsets[begin], offsets[end]);
        std::vector<Tree> trees;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t row = first_node(offsets[jet], jet);
            trees.emplace_back(momenta + 4 * row, children + 2 * row, leaves + 4 * offsets[jet],
                               offsets[jet + 1] - offsets[jet]);
        }
        doubtful += builders[thread](trees);
    });
    return doubtful;
}

}  // namespace jetgram
