// The seven features of each node of many trees.
#pragma once

#include <cstdint>

namespace jetgram {

inline constexpr std::int64_t FEATURES = 7;  // |p|, eta, phi, E, E / E_jet, pT, theta
inline constexpr std::int64_t ENERGY_FEATURE = 3;

// Fills the features (nodes, FEATURES) of one tree from its momenta (nodes, 4), the root's last.
void tree_features(const double* momenta, std::int64_t nodes, double* features);

// Fills the features (nodes, FEATURES) from the momenta (nodes, 4) of trees whose roots come last.
void node_features(const double* momenta, const std::int64_t* offsets, std::int64_t jets, int threads,
                   double* features);

}  // namespace jetgram
