// The kernels over jets, for one instruction set: plain structs and a table of functions. Nothing here has inline code,
// so that nothing can be compiled for the wrong machine.
#pragma once

#include <cstdint>
#include <limits>

namespace jetgram {

class Tree;
struct Place;

enum class Power { kt, cambridge_aachen, anti_kt };

// The memory of a clustering.
struct Slots {
    void* blocks;         // of one vector of each number, aligned to them
    std::int64_t* node;   // in each slot
    std::uint64_t* lost;  // a bit for each slot that lost its neighbour in the last step
    double radius2;
};

inline constexpr std::int64_t most_lanes = 8;

// The number of values that fill whole vectors, of any path, if n do not.
constexpr std::int64_t whole_vectors(std::int64_t n) { return (n + most_lanes - 1) / most_lanes * most_lanes; }

inline constexpr std::int64_t numbers_per_slot = 6;

// The memory of jets that are clustered in step, in two vectors; see many_trees.hpp.
struct StepMemory {
    void* rows;  // for each vector one more than the most leaves, of numbers_per_row vectors each, aligned to them
    void* weights;
    std::int32_t* node_of;  // each slot of each jet
    std::int32_t* slot_of;  // each node of each jet
    std::int64_t rows_of_vector;
};

inline constexpr std::int64_t numbers_per_row = 4;
inline constexpr std::int64_t most_leaves_in_step = 1024;

// Squared distances, or d_ij, that differ by less than this fraction are told apart by exact coordinates only; so are
// momenta that are nearer than the least distance.
inline constexpr double close_call = 1e-8, least_distance2 = 1e-9;

// Room for unit vectors in the transverse plane, sinh(eta), and how much a difference of the latter counts: for
// most_lanes_of_singles more than there are momenta.
struct Directions {
    float *x, *y, *z, *weight;
    double shrink;
    float limit2;
};

inline constexpr std::int64_t most_lanes_of_singles = 2 * most_lanes;

// Near the beam, and where squares lose digits, directions are not sure.
inline constexpr double steepest_direction = 1e4, least_direction_pt2 = 1e-290;

// A tree of which Lund features are computed: leaves first, the root last.
struct LundTree {
    const double* momenta;
    const std::int32_t* children;
    const Place* places;
    std::int64_t leaves, count;
};

// Numbers of its nodes. There is room for a vector more.
struct LundColumns {
    // trees/lund.py says what these are.
    static constexpr double least_angle = 1e-3, least_mass = 1e-2, least_z = 1e-5, least_momentum = 1e-3;
    static constexpr double least_ratio = 1e-6, most_ratio = 1e6, farthest = 2.0;
    static constexpr double tiny = std::numeric_limits<double>::min();

    double *pt2, *pt, *u, *v;
    double *y, *phi, *kt2;   // from the harder to the softer child
    double* skew;            // of leaves: pT v times the distance from the axis
    double* logarithms[6];   // what they are taken of
};

// How columns of numbers are scaled; scaling.hpp says what these do. Null where they are not.
struct ColumnNumbers {
    const float *center, *scale, *limit;
};

// Where the Lund features of one tree go.
struct LundRows {
    static constexpr std::int64_t leaf_columns = 6, inner_columns = 8, columns = leaf_columns + inner_columns + 1;

    const std::int32_t* order;  // the node in each row
    ColumnNumbers scaling;
    float* scratch;  // inner_columns for each node, and for most_lanes_of_singles more
    float* rows;
};

struct Kernels {
    // Builds the tree of one jet whose leaves lie at `places`, and fills those of the other nodes. Writes the nodes
    // that become jets, and returns their number.
    std::int64_t (*cluster)(Slots slots, Tree& tree, Power power, Place* places, std::int64_t* jets);

    // Builds the trees of at most `jets_in_step` jets with at most most_leaves_in_step leaves, with infinite radius.
    // Returns those that are in doubt, one bit each; many_trees.hpp says what that means.
    std::int64_t jets_in_step;
    std::uint64_t (*cluster_in_step)(const StepMemory& memory, Tree* const* trees, std::int64_t count, Power power);

    // The same in single precision, for Cambridge/Aachen alone.
    std::int64_t jets_in_singles;
    std::uint64_t (*cluster_in_singles)(const StepMemory& memory, Tree* const* trees, std::int64_t count, Power power);

    // Fills the places of n momenta: place_of() of each.
    void (*fill_places)(const double* momenta, std::int64_t n, Place* places);

    // Whether two of n momenta may be closer than the limit; see cleaning.cpp.
    bool (*may_be_close)(const double* momenta, std::int64_t n, const Directions& directions);

    // Replaces n numbers by their logarithms, and those that fill the last vector.
    void (*take_logarithms)(double* values, std::int64_t n);

    // Fill columns of the Lund features, in this order; the directions are turned by an angle.
    void (*fill_lund_momenta)(const LundTree& tree, const LundColumns& out);
    void (*fill_lund_branchings)(const LundTree& tree, const LundColumns& out);
    void (*fill_lund_directions)(const LundTree& tree, double cos, double sin, const LundColumns& out);

    // Takes the logarithms of columns, and writes all as scaled rows; v is multiplied by 1 or -1.
    void (*fill_lund_rows)(const LundTree& tree, const LundColumns& columns, double reflection, const LundRows& out);

    // Fills the features (nodes, FEATURES) but for E / E_jet.
    void (*fill_features)(const double* momenta, std::int64_t nodes, double* features);
};

const Kernels& portable_kernels();
// Null where the compiler cannot build them.
const Kernels* avx2_kernels();
const Kernels* avx512_kernels();

// Those of this machine.
const Kernels& kernels();

}  // namespace jetgram
