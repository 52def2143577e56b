// The small generator behind random trees; trees/reference.py has its twin.
#pragma once

#include <cstdint>

namespace jetgram {

// splitmix64 (Steele, Lea, Flood 2014): one stream for each (seed, jet).
class SplitMix {
  public:
    SplitMix(std::uint64_t seed, std::uint64_t jet) : state_(mix(mix(seed) + jet)) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        return mix(state_);
    }

    // Uniform in 0..n-1 (the bias, below n / 2^64, is far beyond notice).
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(n)) >> 64);
    }

  private:
    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return x ^ (x >> 31);
    }

    std::uint64_t state_;
};

}  // namespace jetgram
