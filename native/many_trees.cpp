#include "many_trees.hpp"

#include <algorithm>
#include <bit>

namespace jetgram {

namespace {

// As many jets as it takes for clustering in step to be faster than one by one.
constexpr std::int64_t worth_a_step = 4;

}  // namespace

ManyTrees::ManyTrees(Power power)
    : power_(power),
      exact_(power),
      singles_{kernels().cluster_in_singles, kernels().jets_in_singles},
      doubles_{kernels().cluster_in_step, kernels().jets_in_step} {}

std::int64_t ManyTrees::build(std::span<Tree> trees) {
    order_.clear();
    for (Tree& tree : trees) order_.push_back(&tree);
    // Those of similar size together: the largest one says how long it takes.
    std::stable_sort(order_.begin(), order_.end(), [](const Tree* a, const Tree* b) { return a->leaves() > b->leaves(); });
    std::int64_t in_doubt = 0;
    if (power_ == Power::cambridge_aachen) in_doubt = build_in_step(singles_, 1).value_or(0);
    const std::int64_t least = in_doubt > 0 ? worth_a_step : 1;
    in_doubt = build_in_step(doubles_, least).value_or(in_doubt);
    for (Tree* tree : order_) exact_.build(*tree);
    return in_doubt;
}

std::optional<std::int64_t> ManyTrees::build_in_step(Step& step, std::int64_t least) {
    const auto fits = [](const Tree* tree) { return tree->leaves() <= most_leaves_in_step; };
    const auto first = std::find_if(order_.begin(), order_.end(), fits);
    if (!step.worth_trying() || order_.end() - first < least) return std::nullopt;
    const std::int64_t before = step.doubtful;
    left_.assign(order_.begin(), first);
    for (auto begin = first; begin != order_.end();) {
        const auto end = begin + std::min<std::int64_t>(step.jets, order_.end() - begin);
        build_some(step, std::span(begin, end));
        begin = end;
    }
    order_.swap(left_);
    return step.doubtful - before;
}

void ManyTrees::build_some(Step& step, std::span<Tree*> trees) {
    const auto count = static_cast<std::int64_t>(trees.size());
    const StepMemory memory = memory_for(trees[0]->leaves(), step.jets);
    const std::uint64_t doubts = step.cluster(memory, trees.data(), count, power_);
    step.tried += count;
    step.doubtful += std::popcount(doubts);
    for (std::int64_t i = 0; i < count; ++i) {
        if (!(doubts >> i & 1)) continue;
        trees[i]->restart();
        left_.push_back(trees[i]);
    }
}

StepMemory ManyTrees::memory_for(std::int64_t leaves, std::int64_t jets) {
    const std::int64_t rows = leaves + 1, slots = rows * jets;
    const std::int64_t lines = (slots + most_lanes - 1) / most_lanes;  // of one number per slot
    rows_.resize(std::max<std::size_t>(rows_.size(), numbers_per_row * lines));
    weights_.resize(std::max<std::size_t>(weights_.size(), lines));
    node_of_.resize(std::max<std::size_t>(node_of_.size(), slots));
    slot_of_.resize(std::max<std::size_t>(slot_of_.size(), 2 * slots));
    return {rows_.data(), weights_.data(), node_of_.data(), slot_of_.data(), rows};
}

}  // namespace jetgram
