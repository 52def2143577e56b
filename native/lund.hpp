// Features of the nodes of trees on logarithmic scales; trees/lund.py says what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "coordinates.hpp"

namespace jetgram {

inline constexpr std::int64_t LUND_FEATURES = 15;  // six of leaves, eight of inner nodes, and 1 at leaves

// The tree of one jet, its root last.
struct Nodes {
    const double* momenta;
    const std::int32_t* children;
    std::int64_t count;

    std::int64_t leaves() const { return (count + 1) / 2; }
    bool is_leaf(std::int64_t node) const { return children[2 * node] < 0; }
};

// Fills the features of one tree after the other, and keeps its memory.
class LundFeatures {
  public:
    // The features (nodes, LUND_FEATURES) of a tree whose nodes lie at `places`; NaN where a node does not have one.
    void fill(const Nodes& nodes, const Place* places, double* features);

  private:
    struct Direction {
        double pt, u, v;
    };

    void find_axis(const Nodes& nodes, const Place* places);
    void turn(const Nodes& nodes, const Place* places);
    void collect(const Nodes& nodes, const Place* places);
    void write(const Nodes& nodes, double* features) const;

    double cos_ = 1, sin_ = 0;  // from the harder to the softer child of the branching with the largest kT
    std::vector<Direction> directions_;
    std::vector<double> logarithms_;  // six per node; of leaves four are used
};

// Fills the features (nodes, LUND_FEATURES) of many trees. Throws std::invalid_argument where children make no tree.
void lund_features(const double* momenta, const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets,
                   int threads, double* features);

}  // namespace jetgram
