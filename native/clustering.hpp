// The trees of many jets, in any topology.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "generalised_kt.hpp"
#include "tree.hpp"

namespace jetgram {

// Builds some trees, and may keep scratch: each thread needs its own. Returns how many trees were in doubt; see
// many_trees.hpp.
using TreeBuilder = std::function<std::int64_t(std::span<Tree>)>;

// Throws std::invalid_argument for a topology that is not known. The seed is that of random trees.
TreeBuilder tree_builder(const std::string& topology, std::uint64_t seed);

// The power of pT in d_ij, of the topologies that have one.
std::optional<Power> power_of(const std::string& topology);

// Where the nodes of a jet begin whose constituents begin at `leaf`: each jet before has 2 N - 1 nodes.
inline std::int64_t first_node(std::int64_t leaf, std::int64_t jet) { return 2 * leaf - jet; }

// Fills the momenta and the children of all nodes, (2 n - jets, 4) and (2 n - jets, 2), for n constituents. Returns how
// many trees were in doubt, and built with exact coordinates.
std::int64_t build_trees(const double* leaves, const std::int64_t* offsets, std::int64_t jets,
                         const std::string& topology, std::uint64_t seed, int threads, double* momenta,
                         std::int32_t* children);

}  // namespace jetgram
