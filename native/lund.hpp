// Features of the nodes of trees on logarithmic scales; trees/lund.py says what they are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "coordinates.hpp"
#include "kernels/kernels.hpp"

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

// Computes the features of one tree after the other, and keeps its memory.
class LundFeatures {
  public:
    // Of a tree whose nodes lie at `places`.
    void compute(const Nodes& nodes, const Place* places);

    // Writes those of the last tree, (nodes, LUND_FEATURES); NaN where a node does not have one.
    template <class T>
    void write(T* rows) const;

  private:
    static constexpr std::int64_t leaf_columns = 6, inner_columns = 8;
    static_assert(leaf_columns + inner_columns + 1 == LUND_FEATURES);

    LundColumns columns_for(std::int64_t count);
    void take_logarithms(std::int64_t leaves) const;

    std::vector<double> memory_;
    LundColumns columns_{};
    std::int64_t count_ = 0;
    double reflection_ = 1;  // 1 or -1, of v
};

template <class T>
inline void LundFeatures::write(T* row) const {
    constexpr T missing = std::numeric_limits<T>::quiet_NaN();
    const std::int64_t leaves = (count_ + 1) / 2;
    const auto& logarithms = columns_.logarithms;
    for (std::int64_t node = 0; node < leaves; ++node, row += LUND_FEATURES) {
        for (int i = 0; i < 3; ++i) row[i] = static_cast<T>(logarithms[i][node]);
        row[3] = static_cast<T>(columns_.u[node]);
        row[4] = static_cast<T>(columns_.v[node] * reflection_);
        row[5] = static_cast<T>(logarithms[3][node]);
        for (int i = 0; i < inner_columns; ++i) row[leaf_columns + i] = missing;
        row[LUND_FEATURES - 1] = 1;
    }
    for (std::int64_t node = leaves; node < count_; ++node, row += LUND_FEATURES) {
        for (int i = 0; i < leaf_columns; ++i) row[i] = missing;
        for (int i = 0; i < 6; ++i) row[leaf_columns + i] = static_cast<T>(logarithms[i][node]);
        row[leaf_columns + 6] = static_cast<T>(columns_.u[node]);
        row[leaf_columns + 7] = static_cast<T>(columns_.v[node] * reflection_);
        row[LUND_FEATURES - 1] = 0;
    }
}

// Fills the features (nodes, LUND_FEATURES) of many trees. Throws std::invalid_argument where children make no tree.
void lund_features(const double* momenta, const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets,
                   int threads, double* features);

}  // namespace jetgram
