#include "engine.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "../threads.hpp"

namespace jetgram::engine {

namespace {

constexpr int MAX_LANES = 32;

// Calls work(lane, chunks of the lane...) so that each lane sees its chunks in order, whatever thread it runs on.
template <class Work>
void for_each_lane(std::int64_t chunks, int threads, Work&& work) {
    const std::int64_t lanes = std::min<std::int64_t>(chunks, MAX_LANES);
    parallel_blocks(lanes, 1, threads, [&](std::int64_t lane, std::int64_t, int) {
        work(static_cast<int>(lane), chunks * lane / lanes, chunks * (lane + 1) / lanes);
    });
}

int lane_count(std::int64_t chunks) { return static_cast<int>(std::min<std::int64_t>(chunks, MAX_LANES)); }

// The states of the roots, (jets, hidden), which follow after the last slot.
float* roots(float* states, const SlotLayout& layout, const Chunk& chunk) { return states + chunk.slots * layout.stride; }

// A workspace for the time of a scope.
class Borrowed {
   public:
    explicit Borrowed(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Borrowed() { pool_.give_back(std::move(workspace_)); }
    Workspace& operator*() { return *workspace_; }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace

std::unique_ptr<Workspace> WorkspacePool::take() {
    const std::lock_guard<std::mutex> guard(lock_);
    if (idle_.empty()) return std::make_unique<Workspace>();
    std::unique_ptr<Workspace> workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard<std::mutex> guard(lock_);
    idle_.push_back(std::move(workspace));
}

Engine::Engine(const std::string& cell, int features, int hidden, const std::vector<int>& head, const Path& path, int chunk)
    : path_(path), cell_(cell_named(cell, features, hidden, path)), maps_(cell_.maps), features_(features), hidden_(hidden),
      outputs_(head.empty() ? 0 : head.back()), chunk_jets_(chunk) {
    if (chunk < 1) throw std::invalid_argument("a chunk has at least one jet; found " + std::to_string(chunk));
    if (!head.empty() && (head.front() != hidden || *std::min_element(head.begin(), head.end()) < 1 || head.size() < 2))
        throw std::invalid_argument("the widths of a head begin with the hidden size and end with the outputs");
    const std::vector<LinearSpec> after = head_maps(head, path);
    maps_.insert(maps_.end(), after.begin(), after.end());
}

std::int64_t Engine::chunks(std::int64_t jets) const { return (jets + chunk_jets_ - 1) / chunk_jets_; }

std::int64_t Engine::chunk_begin(std::int64_t jets, std::int64_t chunk) const { return jets * chunk / chunks(jets); }

void Engine::check(const Batch& batch) const {
    if (batch.forest.columns != features_)
        throw std::invalid_argument("the trees have " + std::to_string(batch.forest.columns) + " features; expected " +
                                    std::to_string(features_));
    const Forest& forest = batch.forest;
    for (std::int64_t i = 0; i < batch.count; ++i) {
        const std::int64_t jet = batch.jets[i];
        if (jet < 0 || jet >= forest.jets)
            throw std::invalid_argument("jet " + std::to_string(jet) + " is not among the " + std::to_string(forest.jets) +
                                        " trees");
        if (forest.offsets[jet] < 0 || forest.offsets[jet] >= forest.offsets[jet + 1] || forest.offsets[jet + 1] > forest.rows)
            throw std::invalid_argument("the offsets of jet " + std::to_string(jet) + " leave the " +
                                        std::to_string(forest.rows) + " rows");
    }
}

Memory Engine::memory(const Workspace& workspace) const {
    return {workspace.states.data(), workspace.gradients.data(), workspace.saved.data(), workspace.scratch.data()};
}

// Sets the states of all nodes of a chunk; with `keep`, also what the backward pass needs.
void Engine::forward(const std::vector<Linear>& maps, const Batch& batch, std::int64_t chunk, bool keep,
                     Workspace& workspace) const {
    const std::int64_t begin = chunk_begin(batch.count, chunk), end = chunk_begin(batch.count, chunk + 1);
    const Chunk& schedule = workspace.schedule.build(batch.forest, batch.jets + begin, static_cast<int>(end - begin), cell_.slots);
    const std::size_t slots = schedule.slots, states = slots * cell_.slots.stride + schedule.jets * cell_.slots.hidden;
    workspace.states.reserve(states);
    workspace.saved.reserve((keep ? slots : LEVEL_BLOCK) * cell_.slots.saved);
    if (keep) {
        workspace.gradients.reserve(states);
        workspace.scratch.reserve(static_cast<std::size_t>(OUTER_BLOCK) * cell_.slots.hidden);
    }
    cell_.kernels.forward(maps.data(), cell_.slots, schedule, memory(workspace), keep);
}

// The padded embeddings of a chunk, (jets, hidden): the states of its roots.
const float* Engine::pool(const Workspace& workspace) const {
    return roots(workspace.states.data(), cell_.slots, workspace.schedule.chunk());
}

void Engine::write_embeddings(const Workspace& workspace, float* target) const {
    const float* pooled = pool(workspace);
    for (int jet = 0; jet < workspace.schedule.chunk().jets; ++jet, pooled += cell_.slots.hidden, target += hidden_)
        std::copy_n(pooled, hidden_, target);
}

// From the gradients of a chunk's embeddings, rows `stride` apart: adds to the gradients of the cell's maps.
void Engine::backward(const std::vector<Linear>& maps, const float* embedding_gradient, int stride,
                      Workspace& workspace) const {
    const Chunk& chunk = workspace.schedule.chunk();
    float* target = roots(workspace.gradients.data(), cell_.slots, chunk);
    for (int jet = 0; jet < chunk.jets; ++jet, target += cell_.slots.hidden, embedding_gradient += stride) {
        std::copy_n(embedding_gradient, hidden_, target);
        std::fill(target + hidden_, target + cell_.slots.hidden, 0.0f);
    }
    cell_.kernels.backward(maps.data(), cell_.slots, chunk, memory(workspace));
}

void Engine::embed(const float* parameters, const Batch& batch, int threads, float* embeddings) const {
    check(batch);
    const PackedWeights weights(maps_, parameters, false);
    parallel_blocks(chunks(batch.count), 1, threads, [&](std::int64_t chunk, std::int64_t, int) {
        Borrowed workspace(workspaces_);
        forward(weights.linears(), batch, chunk, false, *workspace);
        write_embeddings(*workspace, embeddings + chunk_begin(batch.count, chunk) * hidden_);
    });
}

void Engine::predict(const float* parameters, const Batch& batch, int threads, float* outputs) const {
    check(batch);
    const PackedWeights weights(maps_, parameters, false);
    const int padded = weights.linears().back().out;
    parallel_blocks(chunks(batch.count), 1, threads, [&](std::int64_t chunk, std::int64_t, int) {
        Borrowed borrowed(workspaces_);
        Workspace& workspace = *borrowed;
        forward(weights.linears(), batch, chunk, false, workspace);
        const int jets = workspace.schedule.chunk().jets;
        const float* out = workspace.head.forward(path_, head_of(weights.linears()), head_count(), jets, pool(workspace));
        float* target = outputs + chunk_begin(batch.count, chunk) * outputs_;
        for (int jet = 0; jet < jets; ++jet) std::copy_n(out + jet * padded, outputs_, target + jet * outputs_);
    });
}

// Head, loss and head's gradients of a chunk; leaves the gradients of the embeddings in the workspace.
double Engine::head_step(const std::vector<Linear>& maps, const Batch& batch, std::int64_t chunk, const float* targets,
                         const float* weights, Loss loss, Workspace& workspace) const {
    const int jets = workspace.schedule.chunk().jets, padded = maps.back().out;
    const std::int64_t begin = chunk_begin(batch.count, chunk);
    const float* pooled = pool(workspace);
    float* out = workspace.head.forward(path_, head_of(maps), head_count(), jets, pooled);
    double total = 0;
    for (int jet = 0; jet < jets; ++jet) {
        const double weight = static_cast<double>(weights[begin + jet]) / outputs_;
        for (int t = 0; t < outputs_; ++t) {
            const LossValue one = loss_of(loss, out[jet * padded + t], targets[(begin + jet) * outputs_ + t]);
            total += weight * one.value;
            out[jet * padded + t] = static_cast<float>(weight * one.slope);
        }
    }
    float* gradient = workspace.pooled_gradient.reserve(static_cast<std::size_t>(jets) * cell_.slots.hidden);
    workspace.head.backward(path_, head_of(maps), head_count(), jets, pooled, gradient);
    return total;
}

double Engine::step(const float* parameters, const Batch& batch, const float* targets, const float* weights, Loss loss,
                    int threads, float* gradient) const {
    check(batch);
    const PackedWeights packed(maps_, parameters, true);
    const std::int64_t count = chunks(batch.count);
    LaneGradients gradients(maps_, lane_count(count));
    std::vector<double> losses(count);
    for_each_lane(count, threads, [&](int lane, std::int64_t begin, std::int64_t end) {
        Borrowed borrowed(workspaces_);
        Workspace& workspace = *borrowed;
        const std::vector<Linear> maps = gradients.open(lane, packed.linears());
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            forward(maps, batch, chunk, true, workspace);
            losses[chunk] = head_step(maps, batch, chunk, targets, weights, loss, workspace);
            backward(maps, workspace.pooled_gradient.data(), cell_.slots.hidden, workspace);
        }
    });
    gradients.reduce(gradient);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

Tape::Tape(std::shared_ptr<const Engine> engine, const float* parameters, const Batch& batch, int threads, float* embeddings)
    : engine_(std::move(engine)), weights_(engine_->maps_, parameters, true), count_(batch.count),
      chunks_(engine_->chunks(batch.count)) {
    engine_->check(batch);
    parallel_blocks(chunks_.size(), 1, threads, [&](std::int64_t chunk, std::int64_t, int) {
        chunks_[chunk] = engine_->workspaces_.take();
        engine_->forward(weights_.linears(), batch, chunk, true, *chunks_[chunk]);
        engine_->write_embeddings(*chunks_[chunk], embeddings + engine_->chunk_begin(count_, chunk) * engine_->hidden_);
    });
}

Tape::~Tape() {
    for (auto& workspace : chunks_)
        if (workspace) engine_->workspaces_.give_back(std::move(workspace));
}

int Tape::hidden() const { return engine_->hidden_; }

std::size_t Tape::parameters() const { return parameter_count(engine_->maps_); }

void Tape::backward(const float* embedding_gradient, int threads, float* gradient) {
    if (used_) throw std::logic_error("the backward pass of these embeddings has already run; run the forward pass again");
    used_ = true;
    const std::int64_t count = chunks_.size();
    LaneGradients gradients(engine_->maps_, lane_count(count));
    for_each_lane(count, threads, [&](int lane, std::int64_t begin, std::int64_t end) {
        const std::vector<Linear> maps = gradients.open(lane, weights_.linears());
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            const float* rows = embedding_gradient + engine_->chunk_begin(count_, chunk) * engine_->hidden_;
            engine_->backward(maps, rows, engine_->hidden_, *chunks_[chunk]);
        }
    });
    gradients.reduce(gradient);
}

}  // namespace jetgram::engine
