// Rapidities and azimuths of many momenta, to the bit those of coordinates.hpp, which are the C library's.
//
// Logarithm and arc tangent are computed with some ten bits more than a double has. Where the result is not close to
// the middle between two doubles, a library rounds it alike that errs by not much more than half a unit in the last
// place; glibc's functions err by at most 0.52 and 0.56. The others, one in ten, are left to the library itself.
#pragma once

#include "../coordinates.hpp"
#include "node_features.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

#if JETGRAM_LANES > 2 && defined(__FMA__) && defined(__GLIBC__)
#define JETGRAM_EXACT_PLACES 1
inline constexpr std::uint64_t all_lanes = (1u << width) - 1;

// A number that is not rounded: high + low.
struct Pair {
    Reals high, low;
};

// Exact.
JETGRAM_INLINE Pair sum_of(const Reals& a, const Reals& b) {
    const Reals sum = a + b, rest = sum - a;
    return {sum, (a - (sum - rest)) + (b - rest)};
}

JETGRAM_INLINE Pair quotient_of(const Pair& a, const Pair& b) {
    const Reals ratio = a.high / b.high;
    const Reals rest = multiply_add(-ratio, b.high, a.high) + (a.low - ratio * b.low);
    return {ratio, rest / b.high};
}

// x^3 times a polynomial of x^2, whose last coefficient counts most.
template <int n>
JETGRAM_INLINE Reals cubic(const Pair& x, const double (&coefficients)[n]) {
    const Reals square = x.high * x.high;
    const Reals square_low = multiply_add(x.high, x.high, -square) + 2.0 * x.high * x.low;
    const Reals last = fill(coefficients[n - 1]), rest = square * Quick::polynomial<n - 1>(coefficients, square);
    const Reals factor = last + rest, factor_low = rest - (factor - last);
    const Reals product = square * factor;
    const Reals product_low = multiply_add(square, factor, -product) + (square * factor_low + square_low * factor);
    const Reals cube = x.high * product;
    return cube + (multiply_add(x.high, product, -cube) + (x.high * product_low + x.low * product));
}

// How far a number may lie from a double, in units of its last place, for a library that errs by so many to round to
// it.
constexpr double surely_rounded(double error) { return 1 - error - 0.02; }

// A double, and whether any good library would round to it.
struct Rounded {
    Reals value;
    Choice sure;
};

JETGRAM_INLINE Rounded rounded(const Reals& high, const Reals& low, double limit) {
    constexpr std::int64_t exponent = 0x7ffll << 52;
    const Reals value = high + low, rest = low - (value - high);
    const Integers power = reinterpret_cast<Integers>(value) & exponent;  // of two, below the value
    const Reals last_place = reinterpret_cast<Reals>(power - (52ll << 52));
    // Below a power of two itself, doubles are nearer to each other.
    const Choice whole = less(reinterpret_cast<Reals>(power), absolute(value));
    return {value, static_cast<Choice>(less(absolute(rest), limit * last_place) & whole)};
}

// k ln 2 + log(1 + f), for 1e-17 < x < 1e17.
JETGRAM_INLINE Rounded exact_logarithm(const Reals& x) {
    // The first has zeros at the end, so that its product with k is exact.
    constexpr double ln2_high = 0x1.62e42fefa3p-1, ln2_low = 0x1.3de6af278ece6p-42;
    const auto [k, scaled] = exponent_of(x);
    const Pair s = quotient_of({scaled - 1.0, Reals{}}, sum_of(fill(1.0), scaled));
    const Pair sum = sum_of(k * ln2_high, 2.0 * s.high);
    return rounded(sum.high, (sum.low + k * ln2_low) + 2.0 * (s.low + cubic(s, artanh_fit)), surely_rounded(0.52));
}

// As std::atan2, for numbers that are neither zero nor very large or small.
JETGRAM_INLINE Rounded exact_arctangent2(const Reals& y, const Reals& x) {
    // Of pi / 4; the first has zeros at the end, so that its product with a small number is exact.
    constexpr double quarter_high = 0x1.921fb54442d1p-1, quarter_low = 0x1.08d313198a2e0p-50;
    const Reals across = absolute(x), up = absolute(y), zero{};
    const Choice steep = less(across, up), left = less(x, zero);
    const Reals shorter = minimum(across, up), longer = maximum(across, up);
    const Choice diagonal = less(tan_pi_8 * longer, shorter);
    const Pair difference = sum_of(shorter, -longer), sum = sum_of(shorter, longer);
    const Pair t = quotient_of({choose(diagonal, difference.high, shorter), choose(diagonal, difference.low, zero)},
                               {choose(diagonal, sum.high, longer), choose(diagonal, sum.low, zero)});
    // The angle is a number of quarters, and that of t, which is added or subtracted.
    const Reals from_axis = choose(diagonal, fill(1.0), zero), in_quadrant = choose(steep, 2.0 - from_axis, from_axis);
    const Reals quarters = choose(left, 4.0 - in_quadrant, in_quadrant);
    const Reals sign = choose(steep, fill(-1.0), fill(1.0)) * choose(left, fill(-1.0), fill(1.0));
    const Pair angle = sum_of(quarters * quarter_high, sign * t.high);
    const Reals low = (angle.low + quarters * quarter_low) + sign * (t.low + cubic(t, arctangent_fit));
    const Rounded found = rounded(angle.high, low, surely_rounded(0.56));
    return {with_sign_of(found.value, y), static_cast<Choice>(found.sure & less(zero, shorter))};
}

// Fills the places of one vector of momenta; returns the lanes in which the rapidity, or the azimuth, is not sure.
struct Unsure {
    std::uint64_t rapidity, phi;
};

JETGRAM_INLINE Unsure place_vector(const double* momenta, Place* places) {
    const Reals px = component(momenta, 0), py = component(momenta, 1), pz = component(momenta, 2),
                energy = component(momenta, 3);
    const Reals pt2 = px * px + py * py, zero{};
    const Reals mass2 = maximum((energy + pz) * (energy - pz) - pt2, zero), light_cone = energy + absolute(pz);
    const Reals ratio = (pt2 + mass2) / (light_cone * light_cone);
    const Choice near = less(fill(1e-17), ratio) & less(ratio, fill(1e17));
    const Choice there = less(fill(1e-30), pt2) & less(pt2, fill(1e30));
    const Rounded logarithm = exact_logarithm(choose(near, ratio, fill(2.0)));
    const Rounded angle = exact_arctangent2(choose(there, py, fill(1.0)), choose(there, px, fill(2.0)));
    const Reals size = -0.5 * logarithm.value, rapidity = choose(less(zero, pz), size, -size);
    const Reals positive = angle.value + choose(less(angle.value, zero), fill(two_pi), zero);
    const Reals phi = choose(less(positive, fill(two_pi)), positive, positive - two_pi);
    for (std::int64_t lane = 0; lane < width; ++lane) places[lane] = {rapidity[lane], phi[lane]};
    return {bits_of(near & logarithm.sure) ^ all_lanes, bits_of(there & angle.sure) ^ all_lanes};
}

// The vectors of one group first, then what was not sure in them: so that nobody guesses in between.
JETGRAM_INLINE void place_group(const double* momenta, std::int64_t vectors, Place* places) {
    std::uint64_t rapidities = 0, azimuths = 0;
    for (std::int64_t i = 0; i < vectors; ++i) {
        const Unsure unsure = place_vector(momenta + 4 * width * i, places + width * i);
        rapidities |= unsure.rapidity << (width * i);
        azimuths |= unsure.phi << (width * i);
    }
    for (; rapidities != 0; rapidities &= rapidities - 1) {
        const int i = std::countr_zero(rapidities);
        places[i].rapidity = rapidity_of(momenta + 4 * i, pt2_of(momenta + 4 * i));
    }
    for (; azimuths != 0; azimuths &= azimuths - 1) {
        const int i = std::countr_zero(azimuths);
        places[i].phi = azimuth_of(momenta + 4 * i, pt2_of(momenta + 4 * i));
    }
}
#endif

static void fill_places(const double* momenta, std::int64_t n, Place* places) {
    std::int64_t i = 0;
#if JETGRAM_EXACT_PLACES
    constexpr std::int64_t most = 64 / width;
    for (std::int64_t vectors; (vectors = (n - i) / width) > 0; i += width * vectors) {
        vectors = vectors < most ? vectors : most;
        place_group(momenta + 4 * i, vectors, places + i);
    }
#endif
    for (; i < n; ++i) places[i] = place_of(momenta + 4 * i, pt2_of(momenta + 4 * i));
}

}  // namespace jetgram::JETGRAM_PATH
