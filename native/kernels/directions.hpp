// Whether two directions are close: cleaning.cpp says how that is measured.
#pragma once

#include "kernels.hpp"
#include "lanes.hpp"

namespace jetgram::JETGRAM_PATH {

static bool any_close(const Directions& directions, std::int64_t n) {
    const auto [xs, ys, zs, sinh_eta, weights, limit2] = directions;
    const Reals limit = fill(limit2);
    for (std::int64_t i = 0; i < n; ++i) {
        const Reals x = fill(xs[i]), y = fill(ys[i]), z = fill(sinh_eta[i]), weight = fill(weights[i]);
        Reals least = fill(infinity);
        for (std::int64_t j = 0; j < i; j += width) {
            const Reals dx = load(xs + j) - x, dy = load(ys + j) - y, dz = (load(zs + j) - z) * weight;
            least = minimum(dx * dx + dy * dy + dz * dz, least);
        }
        if (bits_of(less(least, limit))) return true;
        zs[i] = sinh_eta[i];  // from now on the place is not empty
    }
    return false;
}

}  // namespace jetgram::JETGRAM_PATH
