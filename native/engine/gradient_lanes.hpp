// Lanes: fixed shares of a batch's chunks, each worked on in order by one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../threads.hpp"

namespace jetgram::engine {

inline constexpr std::int64_t MAX_LANES = 32;

inline int lane_count(std::int64_t chunks) { return static_cast<int>(std::min(chunks, MAX_LANES)); }

// Calls work(lane, first chunk, end) for each lane.
template <class Work>
void for_each_lane(std::int64_t chunks, int threads, Work&& work) {
    const std::int64_t lanes = lane_count(chunks);
    parallel_blocks(lanes, 1, threads, [&](std::int64_t lane, std::int64_t, int) {
        work(static_cast<int>(lane), chunks * lane / lanes, chunks * (lane + 1) / lanes);
    });
}

}  // namespace jetgram::engine
