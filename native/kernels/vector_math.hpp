// Elementary functions of several numbers at a time, accurate to about two units in the last place.
//
// The polynomials are Chebyshev fits of (atan(x)/x - 1)/x^2 and (artanh(x)/x - 1)/x^2 in x^2, over the intervals that
// the reductions leave; their errors, 5e-18, are below rounding.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lanes.hpp"

namespace jetgram::JETGRAM_PATH {

// How polynomials are computed: with the same rounding on all paths, or without waiting so long.
struct Same {
    template <int n>
    [[gnu::always_inline]] static inline Reals polynomial(const double (&coefficients)[n], const Reals& x) {
        Reals sum = fill(coefficients[0]);
        for (int i = 1; i < n; ++i) sum = sum * x + coefficients[i];
        return sum;
    }
};

// Odd and even powers apart.
struct Quick {
    template <int n, int size>
    [[gnu::always_inline]] static inline Reals polynomial(const double (&coefficients)[size], const Reals& x) {
        const Reals x2 = x * x;
        Reals first = fill(coefficients[0]), second = fill(coefficients[1]);
        for (int i = 2; i + 1 < n; i += 2) {
            first = multiply_add(first, x2, fill(coefficients[i]));
            second = multiply_add(second, x2, fill(coefficients[i + 1]));
        }
        if (n % 2 == 0) return multiply_add(first, x, second);
        return multiply_add(second, x, multiply_add(first, x2, fill(coefficients[n - 1])));
    }

    template <int n>
    [[gnu::always_inline]] static inline Reals polynomial(const double (&coefficients)[n], const Reals& x) {
        return polynomial<n, n>(coefficients, x);
    }
};

JETGRAM_INLINE Reals with_sign_of(const Reals& size, const Reals& sign) {
    const Integers bit = reinterpret_cast<Integers>(sign) & std::numeric_limits<std::int64_t>::min();
    return reinterpret_cast<Reals>(reinterpret_cast<Integers>(size) | bit);
}

JETGRAM_INLINE Reals square_root(const Reals& x) {
    Reals root;
    for (std::int64_t lane = 0; lane < width; ++lane) root[lane] = std::sqrt(x[lane]);
    return root;
}

inline constexpr double tan_pi_8 = std::numbers::sqrt2 - 1;
inline constexpr double arctangent_fit[] = {
    -0.01917688711906226, 0.03923165829558719,  -0.0508544973794026,  0.0585814891280221,
    -0.06664511447381948, 0.07692183190826087,  -0.09090904578123903, 0.11111111015256361,
    -0.14285714284666542, 0.1999999999999552,   -0.3333333333333333};

// As std::atan2, for finite numbers.
template <class Rounding = Same>
JETGRAM_INLINE Reals arctangent2(const Reals& y, const Reals& x) {
    constexpr double pi = std::numbers::pi;
    const Reals across = absolute(x);
    const Reals up = absolute(y);
    const Integers steep = across < up;
    const Reals shorter = steep ? across : up;
    const Reals longer = steep ? up : across;
    // The angle from the nearer axis or, above pi/8, from the diagonal.
    const Integers diagonal = shorter > tan_pi_8 * longer;
    const Reals divisor = diagonal ? shorter + longer : longer;
    const Reals t = (diagonal ? shorter - longer : shorter) / (divisor > 0 ? divisor : fill(1));
    const Reals t2 = t * t;
    const Reals from_axis = (diagonal ? fill(pi / 4) : Reals{}) + (t + t * t2 * Rounding::polynomial(arctangent_fit, t2));
    const Reals first_quadrant = steep ? pi / 2 - from_axis : from_axis;
    const Integers left = with_sign_of(fill(1), x) < 0;  // for -0.0 too
    return with_sign_of(left ? pi - first_quadrant : first_quadrant, y);
}

inline constexpr double artanh_fit[] = {0.07308224842521703, 0.07665860800278021, 0.09091444562630861,
                                        0.1111110556739754,  0.14285714312987743, 0.19999999999949752,
                                        0.3333333333333335};

// k ln 2 + log(1 + f), for 1 + f between 1/sqrt(2) and sqrt(2).
template <class Rounding = Same>
JETGRAM_INLINE Reals logarithm_of(const Reals& k, const Reals& f) {
    const Reals s = f / (2.0 + f);
    const Reals s2 = s * s;
    return k * std::numbers::ln2 + 2.0 * (s + s * s2 * Rounding::polynomial(artanh_fit, s2));
}

inline constexpr double two_52 = 4503599627370496.0;
inline constexpr auto bits_of_two_52 = std::bit_cast<std::uint64_t>(two_52);

// The bits of 2^k in y = 2^k (1 + f) with 1 + f between 1/sqrt(2) and sqrt(2), without the bias of exponents. Lanes that
// nobody looks at may hold anything.
JETGRAM_INLINE Bits exponent_bits(const Reals& y) {
    constexpr auto bits_of_sqrt_half = std::bit_cast<std::uint64_t>(std::numbers::sqrt2 / 2);
    return (reinterpret_cast<Bits>(y) - bits_of_sqrt_half) & ~((std::uint64_t{1} << 52) - 1);
}

// y without the 2^k of these bits.
JETGRAM_INLINE Reals without_exponent(const Reals& y, const Bits& exponent) {
    return reinterpret_cast<Reals>(reinterpret_cast<Bits>(y) - exponent);
}

// log(1 + x), for 0 <= x < 2^1000.
JETGRAM_INLINE Reals logarithm1p(const Reals& x) {
    const Reals y = 1.0 + x;
    const Bits exponent = exponent_bits(y);
    const Reals scaled = without_exponent(y, exponent) - 1.0;
    // A small integer becomes a double by way of the lowest bits of 2^52 + k.
    const Reals k = reinterpret_cast<Reals>((exponent >> 52) | bits_of_two_52) - two_52;
    return logarithm_of(k, k > 0 ? scaled : x);  // with k = 0, f is x itself, in all its digits
}

// x = 2^k scaled, with `scaled` between 1/sqrt(2) and sqrt(2), for 2^-1000 < x < 2^1000.
struct Exponent {
    Reals k, scaled;
};

JETGRAM_INLINE Exponent exponent_of(const Reals& x) {
    constexpr std::uint64_t shift = 1024;  // makes k positive
    const Bits exponent = exponent_bits(x);
    const Bits shifted = (exponent + (shift << 52)) >> 52;
    return {reinterpret_cast<Reals>(shifted | bits_of_two_52) - (two_52 + static_cast<double>(shift)),
            without_exponent(x, exponent)};
}

// log(x), for 2^-1000 < x < 2^1000.
template <class Rounding = Same>
JETGRAM_INLINE Reals logarithm(const Reals& x) {
    const auto [k, scaled] = exponent_of(x);
    return logarithm_of<Rounding>(k, scaled - 1.0);
}

// The logarithms of n numbers in place; there is room for whole vectors, and other numbers in the rest of the last one.
static void take_logarithms(double* values, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += width) store(values + i, logarithm(load(values + i)));
}

}  // namespace jetgram::JETGRAM_PATH
