// Threads that wait for the next call. Starting a thread, or waking one that sleeps on an idle core, takes some 100
// microseconds: a good part of a training step. So they look out for work for a while before they go to sleep.
#include "threads.hpp"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <system_error>
#include <thread>

#include "per_process.hpp"

namespace jetgram {

namespace {

constexpr auto patience = std::chrono::microseconds(500);

inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Looks at a condition until it holds or patience ends; lets other programs have the core.
template <class Condition>
bool look_out(Condition&& holds) {
    const auto end = std::chrono::steady_clock::now() + patience;
    do {
        for (int i = 0; i < 64; ++i) {
            if (holds()) return true;
            pause();
        }
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return holds();
}

class Pool {
public:
    void run(int threads, const std::function<void(int)>& job) {
        const std::unique_lock<std::mutex> alone(entry_, std::try_to_lock);
        if (!alone.owns_lock()) return job(0);
        const int helpers = start(threads - 1);
        job_ = &job;
        running_ = helpers;
        places_ = helpers;
        if (sleeping_ > 0) {
            { const std::lock_guard<std::mutex> guard(sleep_); }
            wake_.notify_all();
        }
        job(0);
        running_ -= places_.exchange(0);  // nobody has begun these, and nobody needs to
        const auto done = [this] { return running_ == 0; };
        while (!look_out(done)) {
        }
    }

private:
    // Starts threads until there are so many; returns how many of them can help. Where the system gives no more threads,
    // fewer must do.
    int start(int wanted) {
        try {
            for (; started_ < wanted; ++started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
        }
        return std::min(wanted, started_);
    }

    // A place is taken by one thread only; the number of the place is that of the thread.
    int take_place() {
        int place = places_;
        while (place > 0 && !places_.compare_exchange_weak(place, place - 1)) {
        }
        return place;
    }

    [[noreturn]] void serve() {
        for (;;) {
            if (!look_out([this] { return places_ > 0; })) {
                std::unique_lock<std::mutex> guard(sleep_);
                ++sleeping_;
                wake_.wait(guard, [this] { return places_ > 0; });
                --sleeping_;
            }
            if (const int place = take_place(); place > 0) {
                (*job_)(place);
                --running_;
            }
        }
    }

    std::mutex entry_, sleep_;
    std::condition_variable wake_;
    const std::function<void(int)>* job_ = nullptr;
    std::atomic<int> places_{0}, running_{0}, sleeping_{0};
    int started_ = 0;
};

std::atomic<std::uint64_t> generation{0};
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { ++generation; });

// Never destroyed, since its threads may look at it until the process ends.
PerProcess<Pool>& pool = *new PerProcess<Pool>;

}  // namespace

std::uint64_t process_generation() { return generation; }

void run_on_threads(int threads, const std::function<void(int)>& job) { pool.get().run(threads, job); }

}  // namespace jetgram
