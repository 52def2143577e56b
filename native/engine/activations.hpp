// exp, sigmoid and softmax on vectors.
#pragma once

#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

// e^x to about one unit in the last place of a float: x = n ln 2 + r, a polynomial in r (Cephes), times 2^n.
// Arguments are cut off at -87 and 88, the range of normal floats; NaN stays NaN.
JETGRAM_INLINE Vec exp(Vec x) {
    x = min(splat(88.0f), max(splat(-87.0f), x));
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits of the sum.
    const Vec shifted = fma(x, splat(1.44269504088896341f), splat(12582912.0f));
    const Vec n = shifted - splat(12582912.0f);
    Vec r = fma(n, splat(-0.693359375f), x);
    r = fma(n, splat(2.12194440e-4f), r);
    Vec p = splat(1.9875691500e-4f);
    p = fma(p, r, splat(1.3981999507e-3f));
    p = fma(p, r, splat(8.3334519073e-3f));
    p = fma(p, r, splat(4.1665795894e-2f));
    p = fma(p, r, splat(1.6666665459e-1f));
    p = fma(p, r, splat(5.0000001201e-1f));
    p = fma(p, r * r, r + splat(1.0f));
    const Bits power = ((Bits)shifted << 23) + (Bits)splat(1.0f);
    return p * (Vec)power;
}

// 1 / (1 + e^-x).
JETGRAM_INLINE Vec sigmoid(Vec x) { return splat(1.0f) / (splat(1.0f) + exp(-x)); }

// Softmax over the N vectors, separately in each lane.
template <int N>
JETGRAM_INLINE void softmax(Vec (&z)[N]) {
    Vec largest = z[0];
    JETGRAM_UNROLL
    for (int i = 1; i < N; ++i) largest = max(largest, z[i]);
    Vec total = zero();
    JETGRAM_UNROLL
    for (int i = 0; i < N; ++i) {
        z[i] = exp(z[i] - largest);
        total += z[i];
    }
    const Vec inverse = splat(1.0f) / total;
    JETGRAM_UNROLL
    for (int i = 0; i < N; ++i) z[i] *= inverse;
}

}  // namespace jetgram::engine::JETGRAM_PATH
