// Work shared over threads: items are handed out in blocks, in any order; results must not depend on that order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace jetgram {

// Calls work(begin, end, thread) for blocks that cover [0, n). The first exception is thrown again in the caller.
template <class Work>
void parallel_blocks(std::int64_t n, std::int64_t block, int threads, Work&& work) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto run = [&](int thread) {
        try {
            for (;;) {
                const std::int64_t begin = next.fetch_add(block);
                if (begin >= n) return;
                work(begin, std::min(begin + block, n), thread);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
            next = n;
        }
    };
    const std::int64_t blocks = (n + block - 1) / block;
    const int extra = static_cast<int>(std::min<std::int64_t>(std::max(threads, 1), std::max<std::int64_t>(blocks, 1))) - 1;
    std::vector<std::thread> pool;
    pool.reserve(extra);
    for (int t = 1; t <= extra; ++t) pool.emplace_back(run, t);
    run(0);
    for (auto& t : pool) t.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace jetgram
