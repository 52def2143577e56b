// Embeddings whose gradients come later, from outside: what automatic differentiation needs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine.hpp"

namespace jetgram::engine {

// The memory of a forward pass whose backward pass is still to come.
class Tape {
   public:
    Tape(std::shared_ptr<const Engine> engine, const float* parameters, const Batch& batch, int threads,
         float* embeddings);
    ~Tape();
    // From dL/d(embeddings) (count, embedding): writes dL/d(parameters). Once only: it overwrites what the forward pass kept.
    void backward(const float* embedding_gradient, int threads, float* gradient);
    std::int64_t count() const { return chunks_.jets(); }
    int embedding() const;
    std::size_t parameters() const;

   private:
    std::shared_ptr<const Engine> engine_;
    PackedWeights weights_;
    Chunks chunks_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;  // one a chunk
    std::atomic<bool> used_{false};
};

}  // namespace jetgram::engine
