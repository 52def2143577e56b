#include "parameters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "panels.hpp"

namespace jetgram::engine {

namespace {

constexpr std::size_t LINE = 16;  // floats a cache line

std::size_t to_lines(std::size_t floats) { return (floats + LINE - 1) / LINE * LINE; }

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

// Calls visit(packed index of (0, column), step from row to row, dense column) for each dense column of a packed matrix.
template <class Visit>
void for_each_packed_column(int depth, const Axis& columns, int width, Visit&& visit) {
    const std::vector<int> position = columns.positions();
    std::size_t dense = 0;
    for_each_panel(columns.padded(), width, [&](int first, int size) {
        for (; dense < position.size() && position[dense] < first + size; ++dense)
            visit(static_cast<std::size_t>(depth) * first + (position[dense] - first), size, static_cast<int>(dense));
    });
}

// packed (rows x columns) = dense element (row, column) at row * row_step + column * column_step; padding is zero.
void pack(const float* dense, std::size_t row_step, std::size_t column_step, const Axis& rows, const Axis& columns, int width,
          float* packed) {
    const int depth = rows.padded();
    const std::vector<int> row_position = rows.positions();
    std::fill_n(packed, static_cast<std::size_t>(depth) * columns.padded(), 0.0f);
    for_each_packed_column(depth, columns, width, [&](std::size_t start, int step, int column) {
        for (std::size_t row = 0; row < row_position.size(); ++row)
            packed[start + static_cast<std::size_t>(row_position[row]) * step] = dense[row * row_step + column * column_step];
    });
}

// W (out, in) from W^T packed (in x out).
void unpack_transposed(const float* packed, const LinearSpec& map, int width, float* dense) {
    const std::vector<int> row_position = map.in.positions();
    for_each_packed_column(map.in.padded(), map.out, width, [&](std::size_t start, int step, int column) {
        float* target = dense + static_cast<std::size_t>(column) * map.in.size();
        for (std::size_t row = 0; row < row_position.size(); ++row)
            target[row] = packed[start + static_cast<std::size_t>(row_position[row]) * step];
    });
}

std::size_t matrix_size(const LinearSpec& map) { return to_lines(static_cast<std::size_t>(map.in.padded()) * map.out.padded()); }

std::size_t bias_size(const LinearSpec& map) { return to_lines(map.out.padded()); }

}  // namespace

int Axis::size() const { return std::accumulate(blocks.begin(), blocks.end(), 0); }

int Axis::padded() const {
    int total = 0;
    for (const int block : blocks) total += round_up(block, alignment);
    return total;
}

std::vector<int> Axis::positions() const {
    std::vector<int> position;
    position.reserve(size());
    int start = 0;
    for (const int block : blocks) {
        for (int unit = 0; unit < block; ++unit) position.push_back(start + unit);
        start += round_up(block, alignment);
    }
    return position;
}

std::size_t parameter_count(const std::vector<LinearSpec>& maps) {
    std::size_t total = 0;
    for (const LinearSpec& map : maps) total += map.size();
    return total;
}

PackedWeights::PackedWeights(const std::vector<LinearSpec>& maps, const float* flat, bool backward) {
    std::size_t total = 0;
    for (const LinearSpec& map : maps) total += matrix_size(map) * (backward && map.propagates ? 2 : 1) + bias_size(map);
    float* next = memory_.reserve(total);
    const auto take = [&](std::size_t floats) { return std::exchange(next, next + floats); };
    for (const LinearSpec& map : maps) {
        const std::size_t in = map.in.size(), out = map.out.size();
        const int width = map.out.alignment;
        float* forward = take(matrix_size(map));
        pack(flat, 1, in, map.in, map.out, width, forward);
        float* transposed = nullptr;
        if (backward && map.propagates) {
            transposed = take(matrix_size(map));
            pack(flat, in, 1, map.out, map.in, width, transposed);
        }
        float* bias = take(bias_size(map));
        pack(flat + in * out, 0, 1, Axis{{1}, 1}, map.out, width, bias);
        linears_.push_back({map.in.padded(), map.out.padded(), forward, transposed, bias, nullptr, nullptr});
        flat += map.size();
    }
}

LaneGradients::LaneGradients(const std::vector<LinearSpec>& maps, int lanes) : maps_(maps), lanes_(lanes) {
    for (const LinearSpec& map : maps) lane_size_ += matrix_size(map) + bias_size(map);
    memory_.reserve(lane_size_ * lanes);
}

std::vector<Linear> LaneGradients::open(int lane, const std::vector<Linear>& weights) {
    float* next = memory_.data() + lane_size_ * lane;
    std::fill_n(next, lane_size_, 0.0f);
    std::vector<Linear> linears = weights;
    for (std::size_t i = 0; i < linears.size(); ++i) {
        linears[i].weight_gradient = std::exchange(next, next + matrix_size(maps_[i]));
        linears[i].bias_gradient = std::exchange(next, next + bias_size(maps_[i]));
    }
    return linears;
}

void LaneGradients::reduce(float* flat) {
    if (lanes_ == 0) {
        std::fill_n(flat, parameter_count(maps_), 0.0f);
        return;
    }
    float* total = memory_.data();
    for (int lane = 1; lane < lanes_; ++lane) {
        const float* share = memory_.data() + lane_size_ * lane;
        for (std::size_t i = 0; i < lane_size_; ++i) total[i] += share[i];
    }
    for (const LinearSpec& map : maps_) {
        unpack_transposed(total, map, map.out.alignment, flat);
        total += matrix_size(map);
        float* bias = flat + static_cast<std::size_t>(map.in.size()) * map.out.size();
        const std::vector<int> position = map.out.positions();
        for (std::size_t i = 0; i < position.size(); ++i) bias[i] = total[position[i]];
        total += bias_size(map);
        flat += map.size();
    }
}

}  // namespace jetgram::engine
