// Features of the nodes of trees on logarithmic scales; trees/lund.py says what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "coordinates.hpp"
#include "kernels/kernels.hpp"

namespace jetgram {

inline constexpr std::int64_t LUND_FEATURES = LundRows::columns;  // six of leaves, eight of inner nodes, and 1 at leaves

// The tree of one jet, its root last.
struct Nodes {
    const double* momenta;
    const std::int32_t* children;
    std::int64_t count;

    std::int64_t leaves() const { return (count + 1) / 2; }
    bool is_leaf(std::int64_t node) const { return children[2 * node] < 0; }
};

// Computes the features of one tree after the other, and keeps its memory.
class LundFeatures {
  public:
    // Of a tree whose nodes lie at `places`; both must stay until they are written.
    void compute(const Nodes& nodes, const Place* places);

    // Writes those of the last tree, one of these: (nodes, LUND_FEATURES), NaN where a node does not have one; or as rows
    // in an order, scaled, in single precision.
    void write(double* rows);
    void write(const std::int32_t* order, const ColumnNumbers& scaling, float* rows);

  private:
    LundColumns columns_for(std::int64_t count);

    std::vector<double> memory_;
    std::vector<float> scratch_;
    LundColumns columns_{};
    LundTree tree_{};
    double reflection_ = 1;  // 1 or -1, of v
};

// Fills the features (nodes, LUND_FEATURES) of many trees. Throws std::invalid_argument where children make no tree.
void lund_features(const double* momenta, const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets,
                   int threads, double* features);

}  // namespace jetgram
