// Adam (arXiv:1412.6980) on flat vectors.
#pragma once

#include <cstddef>

namespace jetgram::engine {

struct AdamSettings {
    double rate, beta1, beta2, epsilon;
};

// One update number `step` (from 1) of parameters p with gradient g; m and v are the running moments.
void adam_update(const AdamSettings& settings, long step, std::size_t n, const float* g, float* p, float* m, float* v);

}  // namespace jetgram::engine
