// The native engine: embeddings, predictions, gradients and whole training steps for batches of trees.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cells.hpp"
#include "head.hpp"
#include "loss.hpp"
#include "schedule.hpp"

namespace jetgram::engine {

// Some jets of a forest, in the order given.
struct Batch {
    Forest forest;
    const std::int64_t* jets;
    std::int64_t count;
};

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
    std::mutex lock_;
    std::vector<std::unique_ptr<Workspace>> idle_;
};

class Engine;

// The memory of a forward pass whose backward pass is still to come.
class Tape {
   public:
    Tape(std::shared_ptr<const Engine> engine, const float* parameters, const Batch& batch, int threads, float* embeddings);
    ~Tape();
    // From dL/d(embeddings) (count, q): writes dL/d(parameters). Once only: it overwrites what the forward pass kept.
    void backward(const float* embedding_gradient, int threads, float* gradient);
    std::int64_t count() const { return count_; }
    int hidden() const;
    std::size_t parameters() const;

   private:
    std::shared_ptr<const Engine> engine_;
    PackedWeights weights_;
    std::int64_t count_;
    std::vector<std::unique_ptr<Workspace>> chunks_;
    bool used_ = false;
};

// One model: a cell, its sizes, and a head (or none). Parameters come with each call as one flat vector: the cell's, then
// the head's, each map as W (out, in) and b (out). Batches are worked on in chunks; results do not depend on threads.
class Engine {
   public:
    Engine(const std::string& cell, int features, int hidden, const std::vector<int>& head, const Path& path, int chunk);

    void embed(const float* parameters, const Batch& batch, int threads, float* embeddings) const;
    void predict(const float* parameters, const Batch& batch, int threads, float* outputs) const;
    // sum_i weight_i mean_t loss(output_it, target_it), and its gradient.
    double step(const float* parameters, const Batch& batch, const float* targets, const float* weights, Loss loss,
                int threads, float* gradient) const;

    const std::vector<LinearSpec>& maps() const { return maps_; }
    int hidden() const { return hidden_; }
    int outputs() const { return outputs_; }
    int features() const { return features_; }
    const Path& path() const { return path_; }

   private:
    friend class Tape;

    std::int64_t chunks(std::int64_t jets) const;
    std::int64_t chunk_begin(std::int64_t jets, std::int64_t chunk) const;
    void check(const Batch& batch) const;
    void forward(const std::vector<Linear>& maps, const Batch& batch, std::int64_t chunk, bool keep, Workspace&) const;
    void backward(const std::vector<Linear>& maps, const float* embedding_gradient, int stride, Workspace&) const;
    double head_step(const std::vector<Linear>& maps, const Batch& batch, std::int64_t chunk, const float* targets,
                     const float* weights, Loss loss, Workspace&) const;
    Memory memory(const Workspace& workspace) const;
    const float* pool(const Workspace& workspace) const;
    void write_embeddings(const Workspace& workspace, float* target) const;
    int head_count() const { return static_cast<int>(maps_.size() - cell_.maps.size()); }
    const Linear* head_of(const std::vector<Linear>& maps) const { return maps.data() + cell_.maps.size(); }

    const Path& path_;
    CellSpec cell_;
    std::vector<LinearSpec> maps_;  // the cell's, then the head's
    int features_, hidden_, outputs_, chunk_jets_;
    mutable WorkspacePool workspaces_;
};

}  // namespace jetgram::engine
