#include "parameters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace jetgram::engine {

namespace {

constexpr std::size_t LINE = 16;  // floats a cache line

std::size_t to_lines(std::size_t floats) { return (floats + LINE - 1) / LINE * LINE; }

int round_up(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

// A run of columns within one panel: where it begins among the dense columns and in row 0 of the packed matrix, and the
// step from row to row.
struct PanelRun {
    int dense;
    std::size_t packed;
    int step;
    int length;
};

template <class Visit>
void for_each_panel_run(int depth, const Axis& columns, Visit&& visit) {
    const std::vector<Run> runs = columns.runs();
    for_each_panel(columns.padded(), columns.shape, [&](int first, int size) {
        for (const Run& run : runs) {
            const int begin = std::max(run.padded, first), end = std::min(run.padded + run.length, first + size);
            if (begin >= end) continue;
            const std::size_t packed = static_cast<std::size_t>(depth) * first + (begin - first);
            visit(PanelRun{run.dense + begin - run.padded, packed, size, end - begin});
        }
    });
}

// Calls visit(dense row, packed row) for each row.
template <class Visit>
void for_each_row(const Axis& rows, Visit&& visit) {
    for (const Run& run : rows.runs())
        for (int i = 0; i < run.length; ++i)
            visit(static_cast<std::size_t>(run.dense + i), static_cast<std::size_t>(run.padded + i));
}

// packed (out x in) = W (out, in).
void pack(const float* dense, const Axis& out, const Axis& in, float* packed) {
    const std::size_t width = in.size();
    for_each_panel_run(out.padded(), in, [&](const PanelRun& run) {
        for_each_row(out, [&](std::size_t row, std::size_t position) {
            std::copy_n(dense + row * width + run.dense, run.length, packed + run.packed + position * run.step);
        });
    });
}

// Calls visit(dense element, packed element) for W (out, in) and W^T packed (in x out).
template <class Visit>
void for_each_transposed(const Axis& out, const Axis& in, Visit&& visit) {
    const std::size_t width = in.size();
    const std::vector<Run> rows = in.runs();
    for_each_panel_run(in.padded(), out, [&](const PanelRun& run) {
        for (int column = 0; column < run.length; ++column)
            for (const Run& row : rows) {
                std::size_t dense = (run.dense + column) * width + row.dense;
                std::size_t packed = run.packed + column + static_cast<std::size_t>(row.padded) * run.step;
                for (int i = 0; i < row.length; ++i, ++dense, packed += run.step) visit(dense, packed);
            }
    });
}

std::size_t matrix_size(const LinearSpec& map) {
    return to_lines(static_cast<std::size_t>(map.in.padded()) * map.out.padded());
}

std::size_t bias_size(const LinearSpec& map) { return to_lines(map.out.padded()); }

// Adds lanes 1, 2, ... to lane 0, in this order; a block of all of them at a time, so that its sum stays in cache.
void sum_lanes(int lanes, std::size_t size, float* memory) {
    constexpr std::size_t BLOCK = 4096;
    for (std::size_t begin = 0; begin < size; begin += BLOCK) {
        float* total = memory + begin;
        const std::size_t count = std::min(BLOCK, size - begin);
        for (int lane = 1; lane < lanes; ++lane) {
            const float* share = total + lane * size;
            for (std::size_t i = 0; i < count; ++i) total[i] += share[i];
        }
    }
}

}  // namespace

int Axis::size() const { return std::accumulate(blocks.begin(), blocks.end(), 0); }

int Axis::padded() const {
    int total = 0;
    for (const int block : blocks) total += round_up(block, shape.width);
    return total;
}

std::vector<Run> Axis::runs() const {
    std::vector<Run> runs;
    int dense = 0, padded = 0;
    for (const int block : blocks) {
        runs.push_back({dense, padded, block});
        dense += block;
        padded += round_up(block, shape.width);
    }
    return runs;
}

std::size_t parameter_count(const std::vector<LinearSpec>& maps) {
    std::size_t total = 0;
    for (const LinearSpec& map : maps) total += map.size();
    return total;
}

PackedWeights::PackedWeights(const std::vector<LinearSpec>& maps, const float* flat, bool backward) {
    std::size_t total = 0;
    for (const LinearSpec& map : maps)
        total += matrix_size(map) * (backward && map.propagates ? 2 : 1) + bias_size(map);
    float* next = memory_.reserve(total);
    const auto take = [&](std::size_t floats) { return std::exchange(next, next + floats); };
    std::fill_n(next, total, 0.0f);
    for (const LinearSpec& map : maps) {
        const float* dense_bias = flat + static_cast<std::size_t>(map.in.size()) * map.out.size();
        float* forward = take(matrix_size(map));
        for_each_transposed(map.out, map.in,
                            [&](std::size_t dense, std::size_t packed) { forward[packed] = flat[dense]; });
        float* transposed = nullptr;
        if (backward && map.propagates) {
            transposed = take(matrix_size(map));
            pack(flat, map.out, map.in, transposed);
        }
        float* bias = take(bias_size(map));
        if (map.has_bias())
            for_each_row(map.out, [&](std::size_t dense, std::size_t packed) { bias[packed] = dense_bias[dense]; });
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
    sum_lanes(lanes_, lane_size_, memory_.data());
    const float* total = memory_.data();
    for (const LinearSpec& map : maps_) {
        for_each_transposed(map.out, map.in,
                            [&](std::size_t dense, std::size_t packed) { flat[dense] = total[packed]; });
        const float* bias = total + matrix_size(map);
        float* dense_bias = flat + static_cast<std::size_t>(map.in.size()) * map.out.size();
        if (map.has_bias())
            for_each_row(map.out, [&](std::size_t dense, std::size_t packed) { dense_bias[dense] = bias[packed]; });
        total += matrix_size(map) + bias_size(map);
        flat += map.size();
    }
}

}  // namespace jetgram::engine
