// From constituents to what engines read of a jet: its tree, the features of the nodes, breadth first and in single
// precision. A few jets at a time, in cache: no array of all jets between the steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clustering.hpp"
#include "lund.hpp"
#include "scaling.hpp"

namespace jetgram {

enum class NodeFeatures { paper, lund };

// Throws std::invalid_argument for a name that is not known.
NodeFeatures features_named(const std::string& name);

std::int64_t columns_of(NodeFeatures features);

// Reads jets for one thread, and keeps its memory from jet to jet.
class TreeRows {
  public:
    // Features are scaled, if there is a scaling, which must live as long.
    TreeRows(const std::string& topology, std::uint64_t seed, NodeFeatures features,
             const ColumnScaling* scaling = nullptr);

    // Fills the rows of the jets from `begin` to `end`, breadth first: their features, whether they are inner nodes and, if
    // asked for, the nodes in them, counted in each tree. Returns the first jet with a feature that is too large for single
    // precision, or -1.
    std::int64_t fill(const double* constituents, const std::int64_t* offsets, std::int64_t begin, std::int64_t end,
                      float* rows, std::uint8_t* inner, std::int32_t* nodes = nullptr);

  private:
    void build(const double* constituents, const std::int64_t* offsets, std::int64_t begin, std::int64_t end);
    void sort(const Nodes& nodes, std::uint8_t* inner);
    // The features in the order of rows, scaled; false where one is too large for single precision.
    bool write_paper(const Nodes& nodes, float* rows);
    void write_lund(const Nodes& nodes, float* rows);

    NodeFeatures features_;
    const ColumnScaling* scaling_;
    TreeBuilder builder_;
    LundFeatures lund_;
    std::vector<Tree> trees_;
    std::vector<double> momenta_, values_;
    std::vector<float> narrowed_;       // the features of the nodes of one jet, in their order
    std::vector<std::int32_t> children_;
    std::vector<Place> places_;
    std::vector<std::int32_t> order_;  // the node in each row
};

// Fills the rows of many jets, scaled if there is a scaling; the first row of a jet is first_node(). Returns the first jet
// with a feature that is too large for single precision, or -1.
std::int64_t fill_tree_rows(const double* constituents, const std::int64_t* offsets, std::int64_t jets,
                            const std::string& topology, std::uint64_t seed, NodeFeatures features,
                            const ColumnScaling* scaling, int threads, float* rows, std::uint8_t* inner);

}  // namespace jetgram
