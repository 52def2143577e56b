#include "tape.hpp"

#include <stdexcept>
#include <utility>

#include "chunk_threads.hpp"

namespace jetgram::engine {

Tape::Tape(std::shared_ptr<const Engine> engine, const float* parameters, const Batch& batch, int threads,
           float* embeddings)
    : engine_(std::move(engine)),
      weights_(engine_->maps_, parameters, true),
      chunks_(engine_->plan(batch)),
      workspaces_(chunks_.count()) {
    for_each_chunk(chunks_.count(), threads, [&](std::int64_t chunk) {
        workspaces_[chunk] = engine_->workspaces_.take();
        engine_->forward(weights_.linears(), chunks_.part(batch, chunk), true, *workspaces_[chunk]);
        engine_->write_embeddings(*workspaces_[chunk], embeddings + chunks_.begin(chunk) * embedding());
    });
}

Tape::~Tape() {
    for (auto& workspace : workspaces_)
        if (workspace) engine_->workspaces_.give_back(std::move(workspace));
}

int Tape::embedding() const { return engine_->embedding(); }

std::size_t Tape::parameters() const { return parameter_count(engine_->maps_); }

void Tape::backward(const float* embedding_gradient, int threads, float* gradient) {
    if (used_.exchange(true))
        throw std::logic_error("the backward pass of these embeddings has already run; run the forward pass again");
    const int width = embedding();
    LaneGradients gradients(engine_->maps_, lane_count(chunks_.count()));
    for_each_lane(chunks_.count(), threads, [&](int lane, std::int64_t first, std::int64_t end) {
        const std::vector<Linear> maps = gradients.open(lane, weights_.linears());
        for (std::int64_t chunk = first; chunk < end; ++chunk) {
            const StateRows rows{embedding_gradient + chunks_.begin(chunk) * width, width, engine_->hidden_};
            engine_->backward(maps, rows, *workspaces_[chunk]);
        }
    });
    gradients.reduce(gradient);
}

}  // namespace jetgram::engine
