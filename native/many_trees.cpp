#include "many_trees.hpp"

#include <algorithm>
#include <bit>

namespace jetgram {

std::int64_t ManyTrees::build(std::span<Tree> trees) {
    const std::int64_t before = doubtful_;
    order_.clear();
    for (Tree& tree : trees) {
        if (tree.leaves() <= most_leaves_in_step && worth_trying())
            order_.push_back(&tree);
        else
            exact_.build(tree);
    }
    // Those of similar size together: the largest one says how long it takes.
    std::stable_sort(order_.begin(), order_.end(), [](const Tree* a, const Tree* b) { return a->leaves() > b->leaves(); });
    const auto together = static_cast<std::size_t>(kernels().jets_in_step);
    for (std::size_t begin = 0; begin < order_.size(); begin += together)
        build_in_step(std::span(order_).subspan(begin, std::min(together, order_.size() - begin)));
    return doubtful_ - before;
}

void ManyTrees::build_in_step(std::span<Tree*> trees) {
    const auto count = static_cast<std::int64_t>(trees.size());
    const std::uint64_t doubts = kernels().cluster_in_step(memory_for(trees[0]->leaves()), trees.data(), count, power_);
    tried_ += count;
    doubtful_ += std::popcount(doubts);
    for (std::int64_t i = 0; i < count; ++i) {
        if (!(doubts >> i & 1)) continue;
        trees[i]->restart();
        exact_.build(*trees[i]);
    }
}

StepMemory ManyTrees::memory_for(std::int64_t leaves) {
    const std::int64_t rows = leaves + 1, slots = rows * kernels().jets_in_step;
    const std::int64_t lines = (slots + most_lanes - 1) / most_lanes;  // of one number per slot
    rows_.resize(std::max<std::size_t>(rows_.size(), numbers_per_row * lines));
    weights_.resize(std::max<std::size_t>(weights_.size(), lines));
    node_of_.resize(std::max<std::size_t>(node_of_.size(), slots));
    slot_of_.resize(std::max<std::size_t>(slot_of_.size(), 2 * slots));
    return {rows_.data(), weights_.data(), node_of_.data(), slot_of_.data(), rows};
}

}  // namespace jetgram
