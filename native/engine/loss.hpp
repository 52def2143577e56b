// Losses of the outputs of a row against its targets, and their slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace jetgram::engine {

enum class Loss { logistic, softmax, squared, huber, linear };

inline Loss loss_named(const std::string& name) {
    if (name == "logistic") return Loss::logistic;
    if (name == "softmax") return Loss::softmax;
    if (name == "squared") return Loss::squared;
    if (name == "huber") return Loss::huber;
    if (name == "linear") return Loss::linear;
    throw std::invalid_argument("no loss is called '" + name +
                                "'; expected logistic, softmax, squared, huber or linear");
}

struct LossValue {
    double value;
    double slope;
};

// logistic: -y log p - (1 - y) log(1 - p) with p = 1 / (1 + e^-x), in a form that does not overflow.
// squared: (x - y)^2. huber: the same halved near 0, linear beyond 1.
// linear: x y. Its slope is the target: with it any loss can be computed elsewhere, and its slopes be given as targets.
inline LossValue loss_of(Loss loss, double x, double y) {
    const double miss = x - y;
    switch (loss) {
        case Loss::logistic: {
            const double tail = std::exp(-std::fabs(x));
            const double p = x >= 0 ? 1 / (1 + tail) : tail / (1 + tail);
            return {std::max(x, 0.0) - x * y + std::log1p(tail), p - y};
        }
        case Loss::squared: return {miss * miss, 2 * miss};
        case Loss::linear: return {x * y, y};
        default: {
            const double size = std::fabs(miss);
            return size > 1 ? LossValue{size - 0.5, miss > 0 ? 1.0 : -1.0} : LossValue{0.5 * miss * miss, miss};
        }
    }
}

// The mean loss of a row's outputs, times its weight; the outputs become their slopes.
inline double mean_loss(Loss loss, double weight, int outputs, float* x, const float* y) {
    weight /= outputs;
    double total = 0;
    for (int t = 0; t < outputs; ++t) {
        const LossValue one = loss_of(loss, x[t], y[t]);
        total += weight * one.value;
        x[t] = static_cast<float>(weight * one.slope);
    }
    return total;
}

// softmax: the cross-entropy -sum_t y_t log p_t with p_t = e^x_t / sum_s e^x_s, times the weight of the row; likewise.
inline double cross_entropy(double weight, int outputs, float* x, const float* y) {
    const double largest = *std::max_element(x, x + outputs);
    double sum = 0, known = 0, overlap = 0;
    for (int t = 0; t < outputs; ++t) {
        sum += std::exp(x[t] - largest);
        known += y[t];
        overlap += static_cast<double>(y[t]) * x[t];
    }
    const double log_sum = largest + std::log(sum);
    for (int t = 0; t < outputs; ++t)
        x[t] = static_cast<float>(weight * (known * std::exp(x[t] - log_sum) - y[t]));
    return weight * (known * log_sum - overlap);
}

}  // namespace jetgram::engine
