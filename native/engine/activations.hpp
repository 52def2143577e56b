// exp, sigmoid and softmax on vectors.
#pragma once

#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

// e^x to about one unit in the last place of a float: x = n ln 2 + r, a polynomial in r (Cephes), times 2^n.
// Arguments are cut off at -87 and 88, the range of normal floats; NaN stays NaN.
template <class V>
JETGRAM_INLINE V exp(V x) {
    using Bits = decltype(x > x);
    constexpr As<V> as;
    x = min(splat(as, 88.0f), max(splat(as, -87.0f), x));
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits of the sum.
    const V shifted = fma(x, splat(as, 1.44269504088896341f), splat(as, 12582912.0f));
    const V n = shifted - splat(as, 12582912.0f);
    V r = fma(n, splat(as, -0.693359375f), x);
    r = fma(n, splat(as, 2.12194440e-4f), r);
    V p = splat(as, 1.9875691500e-4f);
    p = fma(p, r, splat(as, 1.3981999507e-3f));
    p = fma(p, r, splat(as, 8.3334519073e-3f));
    p = fma(p, r, splat(as, 4.1665795894e-2f));
    p = fma(p, r, splat(as, 1.6666665459e-1f));
    p = fma(p, r, splat(as, 5.0000001201e-1f));
    p = fma(p, r * r, r + splat(as, 1.0f));
    const Bits power = ((Bits)shifted << 23) + (Bits)splat(as, 1.0f);
    return p * (V)power;
}

// 1 / (1 + e^-x).
template <class V>
JETGRAM_INLINE V sigmoid(V x) {
    const V one = splat(As<V>{}, 1.0f);
    return one / (one + exp(-x));
}

// Softmax over the N vectors, separately in each lane.
template <int N, class V>
JETGRAM_INLINE void softmax(V (&z)[N]) {
    V largest = z[0];
    JETGRAM_UNROLL
    for (int i = 1; i < N; ++i) largest = max(largest, z[i]);
    V total{};
    JETGRAM_UNROLL
    for (int i = 0; i < N; ++i) {
        z[i] = exp(z[i] - largest);
        total += z[i];
    }
    const V inverse = splat(As<V>{}, 1.0f) / total;
    JETGRAM_UNROLL
    for (int i = 0; i < N; ++i) z[i] *= inverse;
}

}  // namespace jetgram::engine::JETGRAM_PATH
