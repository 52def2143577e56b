// Whether two directions are close: cleaning.cpp says how that is measured. Single precision does, twice as fast.
#pragma once

#include "kernels.hpp"
#include "singles.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

static_assert(single_width <= most_lanes_of_singles);

JETGRAM_INLINE bool any_less(const Singles& a, const Singles& b) { return bits_of(static_cast<Words>(a < b)) != 0; }

// Directions of n momenta; false where one is too steep, or too soft, to be sure of it. There is room for a vector more.
JETGRAM_INLINE bool fill_directions(const double* momenta, std::int64_t n, const Directions& out) {
    Reals least_pt2 = fill(infinity), steepest{};
    for (std::int64_t i = 0; i < n; i += width) {
        const double* p = momenta + 4 * i;
        const std::int64_t last = n - 1 - i;
        const auto component = [&](int k) {
            return lanes_of([&](std::int64_t lane) { return p[4 * (lane < last ? lane : last) + k]; });
        };
        const Reals px = component(0), py = component(1), pt2 = px * px + py * py;
        const Reals inverse = 1.0 / square_root(pt2), z = component(2) * inverse;
        const auto write = [&](float* to, const Reals& values) {
            const HalfSingles narrow = __builtin_convertvector(values, HalfSingles);
            std::memcpy(to + i, &narrow, sizeof narrow);
        };
        write(out.x, px * inverse);
        write(out.y, py * inverse);
        write(out.z, z);
        write(out.weight, out.shrink / square_root(1.0 + z * z));
        least_pt2 = minimum(pt2, least_pt2);
        steepest = maximum(absolute(z), steepest);
    }
    return lowest(least_pt2) > least_direction_pt2 && -lowest(-steepest) < steepest_direction;
}

static bool may_be_close(const double* momenta, std::int64_t n, const Directions& directions) {
    if (!fill_directions(momenta, n, directions)) return true;
    const auto [xs, ys, zs, weights, shrink, limit2] = directions;
    for (std::int64_t i = n; i < n + single_width; ++i) xs[i] = ys[i] = zs[i] = 1e10f;  // nobody is there
    Singles least = 1e10f - Singles{};
    for (std::int64_t i = 0; i < n; ++i) {
        const Singles x = xs[i] - Singles{}, y = ys[i] - Singles{}, z = zs[i] - Singles{};
        const Singles weight = weights[i] - Singles{};
        for (std::int64_t j = i + 1; j < n; j += single_width) {
            const Singles dx = load_singles(xs + j) - x, dy = load_singles(ys + j) - y;
            const Singles dz = (load_singles(zs + j) - z) * weight;
            least = minimum(dx * dx + dy * dy + dz * dz, least);
        }
    }
    return any_less(least, limit2 - Singles{});
}

}  // namespace jetgram::JETGRAM_PATH
