#include "adam.hpp"

#include <cmath>

#include "flush_denormals.hpp"

namespace jetgram::engine {

void adam_update(const AdamSettings& s, long step, std::size_t n, const float* g, float* p, float* m, float* v) {
    const FlushDenormals flush;  // the moments of a weight without gradients fade
    const float b1 = static_cast<float>(s.beta1), b2 = static_cast<float>(s.beta2),
                epsilon = static_cast<float>(s.epsilon);
    const float rate = static_cast<float>(s.rate / (1 - std::pow(s.beta1, step)));
    const float scale = static_cast<float>(1 / std::sqrt(1 - std::pow(s.beta2, step)));
    const float keep1 = static_cast<float>(1 - s.beta1), keep2 = static_cast<float>(1 - s.beta2);
    for (std::size_t i = 0; i < n; ++i) {
        m[i] = b1 * m[i] + keep1 * g[i];
        v[i] = b2 * v[i] + keep2 * (g[i] * g[i]);
        p[i] -= rate * m[i] / (std::sqrt(v[i]) * scale + epsilon);
    }
}

}  // namespace jetgram::engine
