// Whether two directions are close: cleaning.cpp says how that is measured. Single precision does, twice as fast.
#pragma once

#include <cmath>

#include "kernels.hpp"
#include "lanes.hpp"

namespace jetgram::JETGRAM_PATH {

typedef float Singles __attribute__((vector_size(JETGRAM_LANES * sizeof(double))));
inline constexpr std::int64_t singles = 2 * width;
static_assert(singles <= most_lanes_of_singles);

JETGRAM_INLINE Singles load_singles(const float* from) {
    Singles values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

#if JETGRAM_LANES == 8
JETGRAM_INLINE Singles minimum(const Singles& a, const Singles& b) { return _mm512_min_ps(a, b); }
JETGRAM_INLINE bool any_less(const Singles& a, const Singles& b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) != 0; }
#else
JETGRAM_INLINE Singles minimum(const Singles& a, const Singles& b) { return a < b ? a : b; }
JETGRAM_INLINE bool any_less(const Singles& a, const Singles& b) {
    const auto found = reinterpret_cast<Integers>(a < b);
    std::int64_t any = 0;
    for (std::int64_t lane = 0; lane < width; ++lane) any |= found[lane];
    return any != 0;
}
#endif

// Directions of n momenta; false where one is too steep, or too soft, to be sure of it.
JETGRAM_INLINE bool fill_directions(const double* momenta, std::int64_t n, const Directions& out) {
    bool sure = true;
    for (std::int64_t i = 0; i < n; ++i) {
        const double* p = momenta + 4 * i;
        const double pt2 = p[0] * p[0] + p[1] * p[1], inverse = 1 / std::sqrt(pt2), z = p[2] * inverse;
        out.x[i] = static_cast<float>(p[0] * inverse);
        out.y[i] = static_cast<float>(p[1] * inverse);
        out.z[i] = static_cast<float>(z);
        out.weight[i] = static_cast<float>(out.shrink / std::sqrt(1 + z * z));
        sure &= (pt2 > least_direction_pt2) & (__builtin_fabs(z) < steepest_direction);
    }
    return sure;
}

static bool may_be_close(const double* momenta, std::int64_t n, const Directions& directions) {
    if (!fill_directions(momenta, n, directions)) return true;
    const auto [xs, ys, zs, weights, shrink, limit2] = directions;
    for (std::int64_t i = n; i < n + singles; ++i) xs[i] = ys[i] = zs[i] = 1e10f;  // nobody is there
    Singles least = 1e10f - Singles{};
    for (std::int64_t i = 0; i < n; ++i) {
        const Singles x = xs[i] - Singles{}, y = ys[i] - Singles{}, z = zs[i] - Singles{};
        const Singles weight = weights[i] - Singles{};
        for (std::int64_t j = i + 1; j < n; j += singles) {
            const Singles dx = load_singles(xs + j) - x, dy = load_singles(ys + j) - y;
            const Singles dz = (load_singles(zs + j) - z) * weight;
            least = minimum(dx * dx + dy * dy + dz * dz, least);
        }
    }
    return any_less(least, limit2 - Singles{});
}

}  // namespace jetgram::JETGRAM_PATH
