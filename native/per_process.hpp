// What a forked process must not share with its parent: locks that a thread of the parent may hold, and threads, which
// a fork does not copy.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace jetgram {

// 0 in the first process, 1 in a process that it forked, and so on: another number than in all its parents.
std::uint64_t process_generation();

// An object that each process makes for itself when it first asks for it. What a fork copied of the parent's is left
// alone: a lock in it may never open again.
template <class T>
class PerProcess {
  public:
    PerProcess() = default;
    PerProcess(const PerProcess&) = delete;
    PerProcess& operator=(const PerProcess&) = delete;
    ~PerProcess() {
        const Owned* owned = owned_.load();
        if (owned && owned->generation == process_generation()) delete owned;
    }

    T& get() {
        Owned* owned = owned_.load(std::memory_order_acquire);
        if (owned && owned->generation == process_generation()) return owned->value;
        auto fresh = std::make_unique<Owned>();
        // Of several threads that come here together, one sets its own; the others find it in `owned`.
        if (owned_.compare_exchange_strong(owned, fresh.get())) return fresh.release()->value;
        return owned->value;
    }

  private:
    struct Owned {
        std::uint64_t generation = process_generation();
        T value{};
    };

    std::atomic<Owned*> owned_{nullptr};
};

}  // namespace jetgram
