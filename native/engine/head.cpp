#include "head.hpp"

#include <algorithm>
#include <string>

#include "../checks.hpp"

namespace jetgram::engine {

std::vector<LinearSpec> head_maps(const std::vector<int>& widths, const Path& path, int states) {
    expect_range(static_cast<std::int64_t>(widths.size()), 0, MAX_LAYERS, "layers of a head");
    for (const int width : widths) expect_range(width, 1, MAX_UNITS, "width of a head's layer");
    std::vector<LinearSpec> maps;
    for (std::size_t i = 1; i < widths.size(); ++i) {
        const std::string layer = std::to_string(i);
        const int blocks = i == 1 ? states : 1;
        const Axis in{std::vector<int>(blocks, widths[i - 1] / blocks), path.shape}, out{{widths[i]}, path.shape};
        maps.push_back({"W_" + layer, "b_" + layer, in, out, true});
    }
    return maps;
}

float* HeadPass::forward(const Path& path, const Linear* maps, int count, int rows, const float* x) {
    std::size_t total = 0;
    for (int i = 0; i < count; ++i) total += static_cast<std::size_t>(maps[i].out) * rows;
    expect_range(static_cast<std::int64_t>(total), 0, MAX_INT, "activations of rows worked on together");
    float* next = memory_.reserve(total);
    activation_.clear();
    for (int i = 0; i < count; ++i) {
        path.affine(maps[i], rows, x, next, i + 1 < count);
        activation_.push_back(next);
        x = next;
        next += static_cast<std::size_t>(maps[i].out) * rows;
    }
    return activation_.back();
}

double HeadPass::step(const Path& path, const Linear* maps, int count, int rows, const float* x, const Target& target,
                      float* dx) {
    float* out = forward(path, maps, count, rows, x);
    const int outputs = target.outputs, padded = maps[count - 1].out;
    double total = 0;
    for (int row = 0; row < rows; ++row) {
        const double weight = target.weights[row];
        float* x = out + row * padded;
        const float* y = target.values + row * outputs;
        total += target.loss == Loss::softmax ? cross_entropy(weight, outputs, x, y)
                                              : mean_loss(target.loss, weight, outputs, x, y);
    }
    backward(path, maps, count, rows, x, dx);
    return total;
}

void HeadPass::backward(const Path& path, const Linear* maps, int count, int rows, const float* x, float* dx) {
    for (int i = count - 1; i >= 0; --i) {
        const float* input = i ? activation_[i - 1] : x;
        float* input_gradient = i ? gradient_.reserve(static_cast<std::size_t>(maps[i].in) * rows) : dx;
        path.affine_backward(maps[i], rows, input, activation_[i], input_gradient);
        if (i == 0) break;
        path.rectifier_backward(maps[i].in * rows, input, input_gradient);
        // The activation has served: it now holds its gradient, for the map below.
        std::copy_n(input_gradient, static_cast<std::size_t>(maps[i].in) * rows, activation_[i - 1]);
    }
}

}  // namespace jetgram::engine
