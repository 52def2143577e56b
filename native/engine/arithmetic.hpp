// What a core can do at best: multiply-adds that wait for nothing and load nothing.
#pragma once

#include <cstdint>

#include "vec.hpp"

namespace jetgram::engine::JETGRAM_PATH {

// Sums that do not depend on each other: at least as many as a core begins before the first one is done.
inline constexpr int CHAINS = 12;

// Nested, not an array: the compiler keeps each sum in a register of its own.
template <int N>
struct Chains {
    Wide sum;
    Chains<N - 1> others;

    JETGRAM_INLINE void set(const Wide& value) {
        sum = value;
        others.set(value);
    }

    JETGRAM_INLINE void multiply_add(const Wide& factor, const Wide& term) {
        sum = fma(sum, factor, term);
        keep_in_register(sum);
        others.multiply_add(factor, term);
    }

    JETGRAM_INLINE Wide total() const { return sum + others.total(); }
};

template <>
struct Chains<0> {
    JETGRAM_INLINE void set(const Wide&) {}
    JETGRAM_INLINE void multiply_add(const Wide&, const Wide&) {}
    JETGRAM_INLINE Wide total() const { return Wide{}; }
};

// Does `rounds` multiply-adds on every lane of every sum and returns how many these are; the sums are added to `total`, so
// that no compiler leaves them out.
static std::int64_t multiply_add(std::int64_t rounds, float* total) {
    constexpr std::int64_t lanes = sizeof(Wide) / sizeof(float);
    const Wide factor = splat(As<Wide>{}, 0.5f), term = splat(As<Wide>{}, 1.0f);
    Chains<CHAINS> chains;
    chains.set(term);
    for (std::int64_t round = 0; round < rounds; ++round) chains.multiply_add(factor, term);
    const Wide sums = chains.total();
    for (std::int64_t lane = 0; lane < lanes; ++lane) *total += sums[lane];
    return rounds * CHAINS * lanes;
}

}  // namespace jetgram::engine::JETGRAM_PATH
