#include "workspace.hpp"

namespace jetgram::engine {

std::unique_ptr<Workspace> WorkspacePool::take() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard<std::mutex> guard(lock_);
    if (idle_.size() < MAX_IDLE) idle_.push_back(std::move(workspace));
}

}  // namespace jetgram::engine
