#include "engine.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "../checks.hpp"
#include "chunk_threads.hpp"

namespace jetgram::engine {

Engine::Engine(const std::string& cell, int features, int hidden, Readout readout, const std::vector<int>& head,
               const Path& path, int chunk)
    : path_(path),
      cell_(cell_named(cell, features, hidden, path)),
      readout_(readout),
      maps_(cell_.maps),
      features_(features),
      hidden_(hidden),
      outputs_(head.empty() ? 0 : head.back()),
      chunk_jets_(chunk) {
    expect_range(chunk, 1, MAX_CHUNK, "trees of a chunk");
    if (!head.empty() && (head.front() != embedding() || head.size() < 2))
        throw std::invalid_argument("the widths of a head begin with that of the embedding and end with the outputs");
    const std::vector<LinearSpec> after = head_maps(head, path, states_of(readout));
    maps_.insert(maps_.end(), after.begin(), after.end());
}

// Checks the batch and cuts it into chunks.
Chunks Engine::plan(const Batch& batch) const {
    check(batch, features_);
    return Chunks(batch, chunk_jets_);
}

// Without gradients, whose order of additions the chunks are, any chunks will do: larger ones, with more nodes on each
// level, as long as there are enough for all threads and their states stay in cache.
Chunks Engine::plan_inference(const Batch& batch, int threads) const {
    constexpr std::int64_t CACHED_NODES = 4096;
    const int larger = 2 * path_.shape.unit / path_.shape.width;  // AVX-512 has tiles of eight rows, others of two
    check(batch, features_);
    std::int64_t nodes = 1;
    for (std::int64_t i = 0; i < batch.count; ++i)
        nodes += batch.forest.offsets[batch.jets[i] + 1] - batch.forest.offsets[batch.jets[i]];
    const std::int64_t jets = std::min(CACHED_NODES * batch.count / nodes, batch.count / std::max(threads, 1));
    return Chunks(batch, static_cast<int>(std::clamp<std::int64_t>(jets, chunk_jets_, larger * chunk_jets_)));
}

Memory Engine::memory(const Workspace& workspace) const {
    return {workspace.states.data(), workspace.gradients.data(), workspace.saved.data(), workspace.scratch.data(),
            nullptr};
}

// Sets the states of all nodes of a chunk; with `keep`, also what the backward pass needs.
void Engine::forward(const std::vector<Linear>& maps, const Batch& chunk, bool keep, Workspace& workspace) const {
    const Chunk& schedule =
        workspace.schedule.build(chunk.forest, chunk.jets, static_cast<int>(chunk.count), cell_.slots, readout_);
    const std::size_t slots = schedule.slots, states = slots * cell_.slots.stride + schedule.jets * cell_.slots.hidden;
    workspace.states.reserve(states);
    workspace.saved.reserve((keep ? slots : LEVEL_BLOCK) * cell_.slots.saved);
    if (keep) {
        workspace.gradients.reserve(states);
        workspace.scratch.reserve(static_cast<std::size_t>(OUTER_BLOCK) * cell_.slots.hidden);
    }
    cell_.kernels.forward(maps.data(), cell_.slots, schedule, memory(workspace), keep);
}

// The padded embeddings of a chunk, (jets, states, hidden).
const float* Engine::embeddings(Workspace& workspace) const {
    return read_out(path_, readout_, cell_.slots, workspace.schedule.chunk(), workspace.states.data(),
                    workspace.embeddings);
}

void Engine::write_embeddings(Workspace& workspace, float* target) const {
    const float* source = embeddings(workspace);
    const int states = workspace.schedule.chunk().jets * states_of(readout_);
    for (int state = 0; state < states; ++state, source += cell_.slots.hidden, target += hidden_)
        std::copy_n(source, hidden_, target);
}

// From the gradients of a chunk's embeddings: adds to the gradients of the cell's maps.
void Engine::backward(const std::vector<Linear>& maps, const StateRows& embedding_gradient,
                      Workspace& workspace) const {
    const Chunk& chunk = workspace.schedule.chunk();
    Memory memory = this->memory(workspace);
    memory.shared_gradient = spread_gradients(readout_, cell_.slots, chunk, hidden_, embedding_gradient,
                                              memory.gradients, workspace.shared_gradient);
    cell_.kernels.backward(maps.data(), cell_.slots, chunk, memory);
}

void Engine::embed(const float* parameters, const Batch& batch, int threads, float* embeddings) const {
    embed(PackedWeights(maps_, parameters, false), batch, threads, embeddings);
}

void Engine::embed(const PackedWeights& weights, const Batch& batch, int threads, float* embeddings) const {
    const Chunks chunks = plan_inference(batch, threads);
    for_each_chunk(chunks.count(), threads, [&](std::int64_t chunk) {
        Borrowed<Workspace> workspace(workspaces_);
        forward(weights.linears(), chunks.part(batch, chunk), false, workspace.get());
        write_embeddings(workspace.get(), embeddings + chunks.begin(chunk) * embedding());
    });
}

void Engine::predict(const float* parameters, const Batch& batch, int threads, float* outputs) const {
    const Chunks chunks = plan_inference(batch, threads);
    const PackedWeights weights(maps_, parameters, false);
    const std::vector<Linear>& maps = weights.linears();
    for_each_chunk(chunks.count(), threads, [&](std::int64_t chunk) {
        Borrowed<Workspace> borrowed(workspaces_);
        Workspace& workspace = borrowed.get();
        forward(maps, chunks.part(batch, chunk), false, workspace);
        const int jets = workspace.schedule.chunk().jets, padded = maps.back().out;
        const float* out = workspace.head.forward(path_, head_of(maps), head_count(), jets, embeddings(workspace));
        float* target = outputs + chunks.begin(chunk) * outputs_;
        for (int jet = 0; jet < jets; ++jet) std::copy_n(out + jet * padded, outputs_, target + jet * outputs_);
    });
}

// Head, loss and the head's gradients of a chunk; leaves the gradients of the embeddings in the workspace.
double Engine::head_step(const std::vector<Linear>& maps, const float* targets, const float* weights, Loss loss,
                         Workspace& workspace) const {
    const int jets = workspace.schedule.chunk().jets;
    float* gradient = workspace.embedding_gradient.reserve(static_cast<std::size_t>(jets) * padded_embedding());
    const Target target{targets, weights, outputs_, loss};
    return workspace.head.step(path_, head_of(maps), head_count(), jets, embeddings(workspace), target, gradient);
}

double Engine::step(const float* parameters, const Batch& batch, const float* targets, const float* weights, Loss loss,
                    int threads, float* gradient) const {
    const Chunks chunks = plan(batch);
    const PackedWeights packed(maps_, parameters, true);
    LaneGradients gradients(maps_, lane_count(chunks.count()));
    std::vector<double> losses(chunks.count());
    for_each_lane(chunks.count(), threads, [&](int lane, std::int64_t first, std::int64_t end) {
        Borrowed<Workspace> borrowed(workspaces_);
        Workspace& workspace = borrowed.get();
        const std::vector<Linear> maps = gradients.open(lane, packed.linears());
        for (std::int64_t chunk = first; chunk < end; ++chunk) {
            const std::int64_t jet = chunks.begin(chunk);
            forward(maps, chunks.part(batch, chunk), true, workspace);
            losses[chunk] = head_step(maps, targets + jet * outputs_, weights + jet, loss, workspace);
            backward(maps, padded_rows(workspace.embedding_gradient.data(), padded_embedding()), workspace);
        }
    });
    gradients.reduce(gradient);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace jetgram::engine
