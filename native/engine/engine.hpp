// The native engine: embeddings, predictions, gradients and whole training steps for batches of trees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch.hpp"
#include "cells.hpp"
#include "loss.hpp"
#include "readout.hpp"
#include "workspace.hpp"

namespace jetgram::engine {

// One model: a cell, its sizes, what is read of its states, and a head (or none). Parameters come with each call as one flat vector: the cell's,
// then the head's, each map as W (out, in) and b (out). Batches are worked on in chunks, so that a chunk stays in
// cache; results do not depend on the number of threads.
class Engine {
   public:
    Engine(const std::string& cell, int features, int hidden, Readout readout, const std::vector<int>& head,
           const Path& path, int chunk);

    void embed(const float* parameters, const Batch& batch, int threads, float* embeddings) const;
    // The same with weights that were packed before, for many small batches.
    void embed(const PackedWeights& weights, const Batch& batch, int threads, float* embeddings) const;
    void predict(const float* parameters, const Batch& batch, int threads, float* outputs) const;
    // sum_i weight_i mean_t loss(output_it, target_it), and its gradient.
    double step(const float* parameters, const Batch& batch, const float* targets, const float* weights, Loss loss,
                int threads, float* gradient) const;

    const std::vector<LinearSpec>& maps() const { return maps_; }
    int embedding() const { return states_of(readout_) * hidden_; }  // its length
    int outputs() const { return outputs_; }
    int features() const { return features_; }
    const Path& path() const { return path_; }

   private:
    friend class Tape;
    friend class EventEngine;

    Chunks plan(const Batch& batch) const;
    Chunks plan_inference(const Batch& batch, int threads) const;
    void forward(const std::vector<Linear>& maps, const Batch& chunk, bool keep, Workspace&) const;
    void backward(const std::vector<Linear>& maps, const StateRows& embedding_gradient, Workspace&) const;
    double head_step(const std::vector<Linear>& maps, const float* targets, const float* weights, Loss loss,
                     Workspace&) const;
    Memory memory(const Workspace& workspace) const;
    const float* embeddings(Workspace& workspace) const;
    int padded_embedding() const { return states_of(readout_) * cell_.slots.hidden; }
    StateRows padded_rows(const float* data, std::ptrdiff_t stride) const { return {data, stride, cell_.slots.hidden}; }
    void write_embeddings(Workspace& workspace, float* target) const;
    int head_count() const { return static_cast<int>(maps_.size() - cell_.maps.size()); }
    const Linear* head_of(const std::vector<Linear>& maps) const { return maps.data() + cell_.maps.size(); }

    const Path& path_;
    CellSpec cell_;
    Readout readout_;
    std::vector<LinearSpec> maps_;  // the cell's, then the head's
    int features_, hidden_, outputs_, chunk_jets_;
    mutable WorkspacePool<Workspace> workspaces_;
};

}  // namespace jetgram::engine
