#include "subjets.hpp"

#include <algorithm>

namespace jetgram {

void KtSubjets::label(const double* momenta, std::int64_t n, std::int32_t* labels) {
    nodes_.resize(4 * (2 * n - 1));
    children_.resize(2 * (2 * n - 1));
    labels_.resize(2 * n - 1);
    Tree tree(nodes_.data(), children_.data(), momenta, n);
    clustering_.build(tree);
    subjets_.clear();
    for (const std::int64_t node : clustering_.jets()) subjets_.push_back({tree.pt2(node), node});
    std::stable_sort(subjets_.begin(), subjets_.end(), [](const auto& a, const auto& b) { return a.pt2 > b.pt2; });
    for (std::size_t rank = 0; rank < subjets_.size(); ++rank)
        labels_[subjets_[rank].node] = static_cast<std::int32_t>(rank);
    for (std::int64_t node = tree.size() - 1; node >= n; --node)  // from each subjet down to its constituents
        for (int side = 0; side < 2; ++side) labels_[children_[2 * node + side]] = labels_[node];
    std::copy_n(labels_.begin(), n, labels);
}

}  // namespace jetgram
