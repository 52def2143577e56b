// Elementary functions of four numbers at a time, accurate to about two units in the last place.
//
// The polynomials are Chebyshev fits of (atan(x)/x - 1)/x^2 and (artanh(x)/x - 1)/x^2 in x^2, over the intervals that
// the reductions leave; their errors, 5e-18, are below rounding.
#pragma once

#include <cstdint>
#include <numbers>

#include "lanes.hpp"

namespace jetgram {

template <int n>
JETGRAM_INLINE Lanes polynomial(const double (&coefficients)[n], const Lanes& x) {
    Lanes sum = Lanes{} + coefficients[0];
    for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
    return sum;
}

JETGRAM_INLINE Lanes with_sign_of(const Lanes& size, const Lanes& sign) {
    const Indices bit = reinterpret_cast<Indices>(sign) & std::numeric_limits<std::int64_t>::min();
    return reinterpret_cast<Lanes>(reinterpret_cast<Indices>(size) | bit);
}

JETGRAM_INLINE Indices is_negative(const Lanes& x) { return reinterpret_cast<Indices>(x) < 0; }  // and for -0.0

// As std::atan2, for finite numbers.
JETGRAM_INLINE Lanes arctangent2(const Lanes& y, const Lanes& x) {
    static constexpr double fit[] = {-0.01917688711906226, 0.03923165829558719,  -0.0508544973794026,
                                     0.0585814891280221,   -0.06664511447381948, 0.07692183190826087,
                                     -0.09090904578123903, 0.11111111015256361,  -0.14285714284666542,
                                     0.1999999999999552,   -0.3333333333333333};
    constexpr double tan_pi_8 = std::numbers::sqrt2 - 1;
    constexpr double pi = std::numbers::pi;
    const Lanes width = absolute(x);
    const Lanes height = absolute(y);
    const Lanes small = minimum(width, height);
    const Lanes large = width < height ? height : width;
    // The angle from the nearer axis, or above pi/8 from the diagonal.
    const Indices diagonal = small > tan_pi_8 * large;
    const Lanes divisor = diagonal ? small + large : large;
    const Lanes t = (diagonal ? small - large : small) / (divisor > 0 ? divisor : Lanes{} + 1);
    const Lanes t2 = t * t;
    const Lanes from_axis = (diagonal ? Lanes{} + pi / 4 : Lanes{}) + (t + t * t2 * polynomial(fit, t2));
    const Lanes first_quadrant = width < height ? pi / 2 - from_axis : from_axis;
    return with_sign_of(is_negative(x) ? pi - first_quadrant : first_quadrant, y);
}

// log(1 + x), for 0 <= x < 2^1000.
JETGRAM_INLINE Lanes logarithm1p(const Lanes& x) {
    static constexpr double fit[] = {0.07308224842521703, 0.07665860800278021, 0.09091444562630861, 0.1111110556739754,
                                     0.14285714312987743, 0.19999999999949752, 0.3333333333333335};
    constexpr std::int64_t one = 0x3FF0000000000000;
    constexpr std::int64_t below_sqrt2 = 0x3FF0000000000000 - 0x3FE6A09E667F3BCD;  // bits of 1 and of 1/sqrt(2)
    // 1 + x = 2^k (1 + f) with 1 + f between 1/sqrt(2) and sqrt(2); with k = 0, f is x itself, in all its digits.
    const Lanes y = 1.0 + x;
    const Indices k = (reinterpret_cast<Indices>(y) - (one - below_sqrt2)) >> 52;
    const Lanes scaled = reinterpret_cast<Lanes>(reinterpret_cast<Indices>(y) - (k << 52)) - 1.0;
    const Lanes f = k == 0 ? x : scaled;
    const Lanes s = f / (2.0 + f);
    const Lanes s2 = s * s;
    return __builtin_convertvector(k, Lanes) * std::numbers::ln2 + 2.0 * (s + s * s2 * polynomial(fit, s2));
}

}  // namespace jetgram
