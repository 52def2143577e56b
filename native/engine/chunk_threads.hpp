// A batch's chunks on several threads: each alone, or in lanes, fixed shares that are worked on in order by one thread
// at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../threads.hpp"
#include "flush_denormals.hpp"

namespace jetgram::engine {

inline constexpr std::int64_t MAX_LANES = 32;

inline int lane_count(std::int64_t chunks) { return static_cast<int>(std::min(chunks, MAX_LANES)); }

// Calls work(chunk) for each chunk.
template <class Work>
void for_each_chunk(std::int64_t chunks, int threads, Work&& work) {
    parallel_blocks(chunks, 1, threads, [&](std::int64_t chunk, std::int64_t, int) {
        const FlushDenormals flush;
        work(chunk);
    });
}

// Calls work(lane, first chunk, end) for each lane.
template <class Work>
void for_each_lane(std::int64_t chunks, int threads, Work&& work) {
    const std::int64_t lanes = lane_count(chunks);
    parallel_blocks(lanes, 1, threads, [&](std::int64_t lane, std::int64_t, int) {
        const FlushDenormals flush;
        work(static_cast<int>(lane), chunks * lane / lanes, chunks * (lane + 1) / lanes);
    });
}

}  // namespace jetgram::engine
