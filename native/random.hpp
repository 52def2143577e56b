// The small generator behind random trees; trees/reference.py has its twin.
#pragma once

#include <bit>
#include <cstdint>

namespace jetgram {

inline constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u;  // times 2^64

// The finaliser of splitmix64: every bit of the result depends on every bit of x.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// 64 bits that follow from the seed and the bits of one momentum; 0 and -0 are the same number.
inline std::uint64_t momentum_key(std::uint64_t seed, const double* p) {
    std::uint64_t key = mix(seed);
    for (int i = 0; i < 4; ++i) key = mix(key + golden_ratio + std::bit_cast<std::uint64_t>(p[i] + 0.0));
    return key;
}

// splitmix64 (Steele, Lea, Flood 2014): one stream for each start.
class SplitMix {
  public:
    explicit SplitMix(std::uint64_t start) : state_(mix(start)) {}

    std::uint64_t next() {
        state_ += golden_ratio;
        return mix(state_);
    }

    // Uniform in 0..n-1 (the bias, below n / 2^64, is far beyond notice).
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(n)) >> 64);
    }

  private:
    std::uint64_t state_;
};

}  // namespace jetgram
