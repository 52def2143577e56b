// Elementary functions of several numbers at a time, accurate to about two units in the last place.
//
// The polynomials are Chebyshev fits of (atan(x)/x - 1)/x^2 and (artanh(x)/x - 1)/x^2 in x^2, over the intervals that
// the reductions leave; their errors, 5e-18, are below rounding.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

#include "lanes.hpp"

namespace jetgram {

template <class V, int n>
JETGRAM_INLINE V polynomial(const double (&coefficients)[n], const V& x) {
    V sum = fill<V>(coefficients[0]);
    for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
    return sum;
}

template <class V>
JETGRAM_INLINE V with_sign_of(const V& size, const V& sign) {
    const Mask<V> bit = reinterpret_cast<Mask<V>>(sign) & std::numeric_limits<std::int64_t>::min();
    return reinterpret_cast<V>(reinterpret_cast<Mask<V>>(size) | bit);
}

template <class V>
JETGRAM_INLINE V square_root(const V& x) {
    V root;
    for (std::int64_t lane = 0; lane < width<V>; ++lane) root[lane] = std::sqrt(x[lane]);
    return root;
}

// As std::atan2, for finite numbers.
template <class V>
JETGRAM_INLINE V arctangent2(const V& y, const V& x) {
    static constexpr double fit[] = {-0.01917688711906226, 0.03923165829558719,  -0.0508544973794026,
                                     0.0585814891280221,   -0.06664511447381948, 0.07692183190826087,
                                     -0.09090904578123903, 0.11111111015256361,  -0.14285714284666542,
                                     0.1999999999999552,   -0.3333333333333333};
    constexpr double tan_pi_8 = std::numbers::sqrt2 - 1;
    constexpr double pi = std::numbers::pi;
    const V across = absolute(x);
    const V up = absolute(y);
    const Mask<V> steep = across < up;
    const V shorter = steep ? across : up;
    const V longer = steep ? up : across;
    // The angle from the nearer axis or, above pi/8, from the diagonal.
    const Mask<V> diagonal = shorter > tan_pi_8 * longer;
    const V divisor = diagonal ? shorter + longer : longer;
    const V t = (diagonal ? shorter - longer : shorter) / (divisor > 0 ? divisor : fill<V>(1));
    const V t2 = t * t;
    const V from_axis = (diagonal ? fill<V>(pi / 4) : V{}) + (t + t * t2 * polynomial(fit, t2));
    const V first_quadrant = steep ? pi / 2 - from_axis : from_axis;
    const Mask<V> left = with_sign_of(fill<V>(1), x) < 0;  // for -0.0 too
    return with_sign_of(left ? pi - first_quadrant : first_quadrant, y);
}

// k ln 2 + log(1 + f), for 1 + f between 1/sqrt(2) and sqrt(2).
template <class V>
JETGRAM_INLINE V logarithm_of(const V& k, const V& f) {
    static constexpr double fit[] = {0.07308224842521703, 0.07665860800278021, 0.09091444562630861, 0.1111110556739754,
                                     0.14285714312987743, 0.19999999999949752, 0.3333333333333335};
    const V s = f / (2.0 + f);
    const V s2 = s * s;
    return k * std::numbers::ln2 + 2.0 * (s + s * s2 * polynomial(fit, s2));
}

constexpr double two_52 = 4503599627370496.0;
constexpr auto bits_of_two_52 = std::bit_cast<std::int64_t>(two_52);

// The bits of 2^k in y = 2^k (1 + f) with 1 + f between 1/sqrt(2) and sqrt(2), without the bias of exponents.
template <class V>
JETGRAM_INLINE Mask<V> exponent_bits(const V& y) {
    constexpr auto bits_of_sqrt_half = std::bit_cast<std::int64_t>(std::numbers::sqrt2 / 2);
    return (reinterpret_cast<Mask<V>>(y) - bits_of_sqrt_half) & ~((std::int64_t{1} << 52) - 1);
}

// log(1 + x), for 0 <= x < 2^1000.
template <class V>
JETGRAM_INLINE V logarithm1p(const V& x) {
    const V y = 1.0 + x;
    const Mask<V> exponent = exponent_bits(y);
    const V scaled = reinterpret_cast<V>(reinterpret_cast<Mask<V>>(y) - exponent) - 1.0;
    // A small integer becomes a double by way of the lowest bits of 2^52 + k.
    const V k = reinterpret_cast<V>((exponent >> 52) | bits_of_two_52) - two_52;
    return logarithm_of(k, k > 0 ? scaled : x);  // with k = 0, f is x itself, in all its digits
}

// log(x), for 2^-1000 < x < 2^1000.
template <class V>
JETGRAM_INLINE V logarithm(const V& x) {
    constexpr std::int64_t shift = 1024;  // makes k positive
    const Mask<V> exponent = exponent_bits(x);
    const V f = reinterpret_cast<V>(reinterpret_cast<Mask<V>>(x) - exponent) - 1.0;
    const Mask<V> shifted = (exponent + (shift << 52)) >> 52;
    const V k = reinterpret_cast<V>(shifted | bits_of_two_52) - (two_52 + static_cast<double>(shift));
    return logarithm_of(k, f);
}

}  // namespace jetgram
