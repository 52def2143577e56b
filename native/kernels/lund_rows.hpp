// The Lund features of one tree as rows of a schedule: in single precision, scaled, in the order of the network.
#pragma once

#include "kernels.hpp"
#include "singles.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

// One column. Without numbers, nothing is changed.
class ScaledColumn {
  public:
    JETGRAM_INLINE ScaledColumn(const ColumnNumbers& numbers, std::int64_t column)
        : center_(fill_singles(numbers.center ? numbers.center[column] : 0)),
          scale_(fill_singles(numbers.center ? numbers.scale[column] : 1)),
          limit_(fill_singles(numbers.center ? numbers.limit[column] : infinity_)) {}

    JETGRAM_INLINE Singles operator()(const Singles& x) const {
        const Singles ratio = (x - center_) / scale_;
        const Singles below = ratio < limit_ ? ratio : limit_, cut = below > -limit_ ? below : -limit_;
        const Singles number = limit_ < infinity_ ? Singles{} : ratio;
        return ratio == ratio ? cut : number;
    }

    JETGRAM_INLINE float operator()(float x) const { return (*this)(fill_singles(x))[0]; }

  private:
    static constexpr float infinity_ = std::numeric_limits<float>::infinity();

    Singles center_, scale_, limit_;
};

// Columns of the nodes from `begin` to `end`, which follow the column `first` of rows, into the scratch.
class LundBlock {
  public:
    JETGRAM_INLINE LundBlock(const LundRows& out, std::int64_t first, std::int64_t begin, std::int64_t end)
        : out_(out), first_(first), begin_(begin), end_(end) {}

    template <class Number>
    JETGRAM_INLINE void fill_column(std::int64_t column, Number&& number) const {
        const ScaledColumn scaled(out_.scaling, first_ + column);
        float* to = out_.scratch + LundRows::inner_columns * begin_ + column;
        for (std::int64_t node = begin_; node < end_; node += single_width) {
            const Singles values = scaled(narrowed(number(node), number(node + width)));
            for (std::int64_t lane = 0; lane < single_width; ++lane, to += LundRows::inner_columns) *to = values[lane];
        }
    }

  private:
    const LundRows& out_;
    std::int64_t first_, begin_, end_;
};

// Eight numbers at once, wherever they are.
typedef float Eight __attribute__((vector_size(8 * sizeof(float)), aligned(alignof(float)), may_alias));
static_assert(sizeof(Eight) == LundRows::inner_columns * sizeof(float));

JETGRAM_INLINE void copy_eight(const float* from, float* to) {
    *reinterpret_cast<Eight*>(to) = *reinterpret_cast<const Eight*>(from);
}

// The scratch in the order of rows, eight columns at a time and without branches: which node comes next is nothing to
// guess. The columns of leaves leave two that are not theirs, which are written once more.
JETGRAM_INLINE void write_rows(const LundTree& tree, const LundRows& out) {
    constexpr std::int64_t columns = LundRows::columns, block = LundRows::inner_columns, tail = columns - block;
    float none[columns], tails[2][block];
    for (std::int64_t i = 0; i < columns; ++i)
        none[i] = ScaledColumn(out.scaling, i)(std::numeric_limits<float>::quiet_NaN());
    for (int is_leaf = 0; is_leaf < 2; ++is_leaf) {
        std::memcpy(tails[is_leaf], none + tail, sizeof tails[is_leaf]);
        tails[is_leaf][block - 1] = ScaledColumn(out.scaling, columns - 1)(static_cast<float>(is_leaf));
    }
    float* row = out.rows;
    for (std::int64_t i = 0; i < tree.count; ++i, row += columns) {
        const std::int64_t node = out.order[i], is_leaf = node < tree.leaves;
        const std::int64_t begin = LundRows::leaf_columns * (1 - is_leaf), again = LundRows::leaf_columns * is_leaf;
        copy_eight(none, row);
        copy_eight(tails[is_leaf], row + tail);
        copy_eight(out.scratch + block * node, row + begin);
        std::memcpy(row + again, none + again, 2 * sizeof(float));
    }
}

static void fill_lund_rows(const LundTree& tree, const LundColumns& columns, double reflection, const LundRows& out) {
    const auto logarithms = [&](int i) {
        return [from = columns.logarithms[i]](std::int64_t node) { return logarithm(load(from + node)); };
    };
    const auto u = [&](std::int64_t node) { return load(columns.u + node); };
    const auto v = [&](std::int64_t node) { return load(columns.v + node) * reflection; };
    // Inner nodes last: a vector of leaves may reach into theirs.
    const LundBlock leaves(out, 0, 0, tree.leaves), inner(out, LundRows::leaf_columns, tree.leaves, tree.count);
    for (int i = 0; i < 3; ++i) leaves.fill_column(i, logarithms(i));
    leaves.fill_column(3, u);
    leaves.fill_column(4, v);
    leaves.fill_column(5, logarithms(3));
    for (int i = 0; i < 6; ++i) inner.fill_column(i, logarithms(i));
    inner.fill_column(6, u);
    inner.fill_column(7, v);

    write_rows(tree, out);
}

}  // namespace jetgram::JETGRAM_PATH
