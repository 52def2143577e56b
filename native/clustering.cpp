#include "clustering.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "generalised_kt.hpp"
#include "random.hpp"
#include "threads.hpp"
#include "tree.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 4;

// Builds one tree. Each thread has its own builder, which may keep scratch.
using Builder = std::function<void(Tree&)>;

Builder generalised_kt(Power power) {
    auto clustering = std::make_shared<GeneralisedKt>(power);
    return [clustering](Tree& tree) { clustering->build(tree); };
}

// Two different momenta out of those left are joined, all pairs equally likely. The random numbers follow from the seed
// and from the momenta alone, and the momenta are numbered by their keys: a jet has the same tree in any company, and
// with its constituents in any order.
Builder random_pairs(std::uint64_t seed) {
    return [seed, keys = std::vector<std::pair<std::uint64_t, std::int64_t>>(),
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
    };
}

// A chain: the first two momenta in the order of pT are joined, then each next one is added. Equal pT: lower index first.
template <class Before>
Builder chain(Before before) {
    return [before, order = std::vector<std::pair<double, std::int64_t>>()](Tree& tree) mutable {
        order.resize(tree.leaves());
        for (std::int64_t i = 0; i < tree.leaves(); ++i) order[i] = {tree.pt2(i), i};
        std::stable_sort(order.begin(), order.end(),
                         [&](const auto& a, const auto& b) { return before(a.first, b.first); });
        std::int64_t node = order[0].second;
        for (std::size_t i = 1; i < order.size(); ++i) node = tree.join(node, order[i].second);
    };
}

Builder make_builder(const std::string& topology, std::uint64_t seed) {
    if (topology == "kt") return generalised_kt(Power::kt);
    if (topology == "ca") return generalised_kt(Power::cambridge_aachen);
    if (topology == "antikt") return generalised_kt(Power::anti_kt);
    if (topology == "random") return random_pairs(seed);
    if (topology == "asc-pt") return chain(std::greater<>());
    if (topology == "desc-pt") return chain(std::less<>());
    throw std::invalid_argument("no topology '" + topology + "'");
}

using Children = StrictArray<std::int32_t, nb::shape<-1, 2>>;

void build_trees(const Momenta& leaves, const Indices& offsets, const std::string& topology, std::uint64_t seed,
                 int threads, const NewMomenta& momenta, const Children& children) {
    const std::int64_t* start = offsets.data();
    const std::int64_t jets = expect_offsets(start, offsets.size(), leaves.shape(0), 1, MAX_LEAVES);
    const std::size_t nodes = 2 * leaves.shape(0) - jets;
    expect(momenta.shape(0), nodes, "length of momenta");
    expect(children.shape(0), nodes, "length of children");
    expect_apart({bytes_of(momenta, "momenta"), bytes_of(children, "children")},
                 {bytes_of(leaves, "leaves"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    std::vector<Builder> builders;
    for (int t = 0; t < threads; ++t) builders.push_back(make_builder(topology, seed));
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
        expect_components(leaves.data(), start[begin], start[end]);
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t row = 2 * start[jet] - jet;  // each jet before has 2 N - 1 nodes
            Tree tree(momenta.data() + 4 * row, children.data() + 2 * row, leaves.data() + 4 * start[jet],
                      start[jet + 1] - start[jet]);
            builders[thread](tree);
        }
    });
}

}  // namespace

void bind_clustering(nb::module_& m) {
    m.def("build_trees", &build_trees, strict("leaves"), strict("offsets"), nb::arg("topology"), nb::arg("seed"),
          nb::arg("threads"), strict("momenta"), strict("children"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Fill the node momenta (2 n - jets, 4) and children (2 n - jets, 2) of the trees over jets without fault.");
}

}  // namespace jetgram
