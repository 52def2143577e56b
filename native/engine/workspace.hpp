// Memory that is used again and again.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../per_process.hpp"
#include "aligned.hpp"
#include "head.hpp"
#include "schedule.hpp"

namespace jetgram::engine {

// What one chunk of jets needs while it is worked on: reused, because fresh memory costs more than the work on it.
struct Workspace {
    ChunkSchedule schedule;
    AlignedFloats states, gradients, saved, scratch, embeddings, embedding_gradient, shared_gradient;
    HeadPass head;
};

// Workspaces that wait for work; safe to share between threads. A forked process begins with none.
template <class Space>
class WorkspacePool {
   public:
    std::unique_ptr<Space> take() {
        Shelf& shelf = shelf_.get();
        const std::lock_guard<std::mutex> guard(shelf.lock);
        if (shelf.idle.empty()) return std::make_unique<Space>();
        std::unique_ptr<Space> workspace = std::move(shelf.idle.back());
        shelf.idle.pop_back();
        return workspace;
    }

    void give_back(std::unique_ptr<Space> workspace) {
        Shelf& shelf = shelf_.get();
        const std::lock_guard<std::mutex> guard(shelf.lock);
        if (shelf.idle.size() < MAX_IDLE) shelf.idle.push_back(std::move(workspace));
    }

   private:
    static constexpr std::size_t MAX_IDLE = 64;  // more only a tape of a very large batch needs
    struct Shelf {
        std::mutex lock;
        std::vector<std::unique_ptr<Space>> idle;
    };
    PerProcess<Shelf> shelf_;
};

// A workspace for the time of a scope.
template <class Space>
class Borrowed {
   public:
    explicit Borrowed(WorkspacePool<Space>& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Borrowed() { pool_.give_back(std::move(workspace_)); }
    Space& get() { return *workspace_; }

   private:
    WorkspacePool<Space>& pool_;
    std::unique_ptr<Space> workspace_;
};

}  // namespace jetgram::engine
