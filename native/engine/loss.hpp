// Losses of one output against one target, and their slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace jetgram::engine {

enum class Loss { logistic, squared, huber };

inline Loss loss_named(const std::string& name) {
    if (name == "logistic") return Loss::logistic;
    if (name == "squared") return Loss::squared;
    if (name == "huber") return Loss::huber;
    throw std::invalid_argument("no loss is called '" + name + "'; expected logistic, squared or huber");
}

struct LossValue {
    double value;
    double slope;
};

// logistic: -y log p - (1 - y) log(1 - p) with p = 1 / (1 + e^-x), in a form that does not overflow.
// squared: (x - y)^2. huber: the same halved near 0, linear beyond 1.
inline LossValue loss_of(Loss loss, double x, double y) {
    const double miss = x - y;
    switch (loss) {
        case Loss::logistic: {
            const double tail = std::exp(-std::fabs(x));
            const double p = x >= 0 ? 1 / (1 + tail) : tail / (1 + tail);
            return {std::max(x, 0.0) - x * y + std::log1p(tail), p - y};
        }
        case Loss::squared: return {miss * miss, 2 * miss};
        default: {
            const double size = std::fabs(miss);
            return size > 1 ? LossValue{size - 0.5, miss > 0 ? 1.0 : -1.0} : LossValue{0.5 * miss * miss, miss};
        }
    }
}

}  // namespace jetgram::engine
