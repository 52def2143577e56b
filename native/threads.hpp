// Work shared over threads: items are handed out in blocks, in any order; results must not depend on that order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace jetgram {

// Calls job(0) in the calling thread and job(1), ..., job(threads - 1) in threads that are kept from call to call. A
// thread that is late may not be called at all, so that every job must be able to do the whole work. Where the threads
// are busy for another caller, only job(0) is called.
void run_on_threads(int threads, const std::function<void(int)>& job);

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
    const auto used = static_cast<int>(std::clamp<std::int64_t>(blocks, 1, std::max(threads, 1)));
    if (used == 1)
        run(0);
    else
        run_on_threads(used, run);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace jetgram
