#include "generalised_kt.hpp"

#include <algorithm>

namespace jetgram {

Slots GeneralisedKt::slots_for(std::int64_t n) {
    const std::int64_t lines = (n + most_lanes - 1) / most_lanes;  // of one number per slot
    memory_.resize(std::max<std::size_t>(memory_.size(), numbers_per_slot * lines));
    node_.resize(n);
    lost_.resize(lines);
    return {memory_.data(), node_.data(), lost_.data(), radius2_};
}

void GeneralisedKt::build(Tree& tree) {
    places_.resize(2 * tree.leaves() - 1);
    kernels().fill_places(tree.momentum(0), tree.leaves(), places_.data());
    cluster_placed(tree);
}

void GeneralisedKt::build(Tree& tree, const Place* leaves) {
    places_.resize(2 * tree.leaves() - 1);
    std::copy_n(leaves, tree.leaves(), places_.begin());
    cluster_placed(tree);
}

void GeneralisedKt::cluster_placed(Tree& tree) {
    jets_.resize(tree.leaves());
    jets_.resize(kernels().cluster(slots_for(tree.leaves()), tree, power_, places_.data(), jets_.data()));
}

}  // namespace jetgram
