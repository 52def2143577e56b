// Memory that is used again and again.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "aligned.hpp"
#include "head.hpp"
#include "schedule.hpp"

namespace jetgram::engine {

// What one chunk of jets needs while it is worked on: reused, because fresh memory costs more than the work on it.
struct Workspace {
    ChunkSchedule schedule;
    AlignedFloats states, gradients, saved, scratch, pooled_gradient;
    HeadPass head;
};

// Workspaces that wait for work; safe to share between threads.
class WorkspacePool {
   public:
    std::unique_ptr<Workspace> take();
    void give_back(std::unique_ptr<Workspace> workspace);

   private:
    static constexpr std::size_t MAX_IDLE = 64;  // more only a tape of a very large batch needs
    std::mutex lock_;
    std::vector<std::unique_ptr<Workspace>> idle_;
};

// A workspace for the time of a scope.
class BorrowedWorkspace {
   public:
    explicit BorrowedWorkspace(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~BorrowedWorkspace() { pool_.give_back(std::move(workspace_)); }
    Workspace& get() { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace jetgram::engine
