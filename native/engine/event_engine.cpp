#include "event_engine.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "../checks.hpp"
#include "../threads.hpp"
#include "chunk_threads.hpp"

namespace jetgram::engine {

namespace {

// W_zx, W_rx, W_hx with the biases, then W_zh, W_rh, W_hh without.
std::vector<LinearSpec> unit_maps(const Axis& x, int state, const Path& path) {
    const Axis h{{state}, path.shape};
    return {{"W_zx", "b_z", x, h, true}, {"W_rx", "b_r", x, h, true}, {"W_hx", "b_h", x, h, true},
            {"W_zh", "", h, h, true},    {"W_rh", "", h, h, true},    {"W_hh", "", h, h, true}};
}

// With trees, a few jets fill the cache. Without, a step of the unit has one row per event, and its products need many
// rows; of long sequences so many as the cache holds. Chunks are what threads share, so that a batch needs several.
EventChunk chunk_of(bool trees, std::optional<int> jets) {
    constexpr EventChunk with_trees{8, 8}, without{1600, 16};
    if (!jets) return trees ? with_trees : without;
    expect_range(*jets, 1, MAX_CHUNK, "jets of a chunk");
    return {*jets, *jets};
}

void append(std::vector<LinearSpec>& maps, const std::vector<LinearSpec>& more) {
    maps.insert(maps.end(), more.begin(), more.end());
}

}  // namespace

EventEngine::EventEngine(const std::string& cell, int features, int hidden, Readout readout, int state,
                         const std::vector<int>& head, const Path& path, std::optional<int> chunk)
    : path_(path), cell_maps_(0), outputs_(head.empty() ? 0 : head.back()), chunk_(chunk_of(!cell.empty(), chunk)) {
    expect_range(state, 1, MAX_UNITS, "states of a unit");
    if (head.size() < 2 || head.front() != state)
        throw std::invalid_argument("the widths of a head begin with the unit's size and end with the outputs");
    Axis x{{COLUMNS}, path.shape};
    momentum_ = x.padded();
    if (!cell.empty()) {
        jets_ = std::make_unique<const Engine>(cell, features, hidden, readout, std::vector<int>{}, path, chunk_.jets);
        append(maps_, jets_->maps());
        cell_maps_ = static_cast<int>(maps_.size());
        x.blocks.insert(x.blocks.end(), states_of(readout), hidden);
    }
    const std::vector<LinearSpec> unit = unit_maps(x, state, path);
    append(maps_, unit);
    append(maps_, head_maps(head, path));
    unit_maps_ = static_cast<int>(unit.size());
    input_ = x.padded();
    state_ = unit.back().out.padded();
}

// Checks the batch and cuts it into chunks.
std::vector<std::int64_t> EventEngine::plan(const EventBatch& batch) const {
    check(batch);
    if (jets_ && batch.forest.jets != batch.jets)
        throw std::invalid_argument("events with " + std::to_string(batch.jets) + " jets have " +
                                    std::to_string(batch.forest.jets) + " trees; expected one per jet");
    return event_chunks(batch, chunk_);
}

// [momentum, embedding] of each row, padded.
void EventEngine::fill_inputs(const EventBatch& batch, EventWorkspace& workspace) const {
    const EventSteps& steps = workspace.steps;
    float* x = workspace.x.reserve(static_cast<std::size_t>(steps.rows()) * input_);
    const int width = input_ - momentum_;
    const float* embedding = jets_ ? jets_->embeddings(workspace.jets) : nullptr;
    for (int row = 0; row < steps.rows(); ++row, x += input_) {
        std::copy_n(batch.momenta + steps.jets()[row] * COLUMNS, COLUMNS, x);
        std::fill(x + COLUMNS, x + momentum_, 0.0f);
        if (embedding) std::copy_n(embedding + static_cast<std::ptrdiff_t>(row) * width, width, x + momentum_);
    }
}

// Sets the last states of a chunk; with `keep`, also what the backward pass of the jets needs.
GruMemory EventEngine::forward(const std::vector<Linear>& maps, const EventBatch& batch, std::int64_t begin,
                               std::int64_t end, bool keep, EventWorkspace& workspace) const {
    EventSteps& steps = workspace.steps;
    steps.build(batch, begin, end);
    if (jets_) {
        const Batch jets{batch.forest, steps.jets(), steps.rows()};
        check(jets, jets_->features());
        jets_->forward(maps, jets, keep, workspace.jets);
    }
    fill_inputs(batch, workspace);
    const std::size_t rows = steps.rows(), events = steps.events();
    const GruMemory memory{steps.rows(),
                           state_,
                           workspace.x.data(),
                           workspace.gates.reserve(rows * 3 * state_),
                           workspace.before.reserve(rows * state_),
                           workspace.reset.reserve(rows * state_),
                           workspace.last.reserve(events * state_),
                           workspace.gradient.reserve(events * state_),
                           jets_ && keep ? workspace.dx.reserve(rows * input_) : nullptr};
    path_.gru_forward(unit_of(maps), memory, steps.steps(), steps.count());
    return memory;
}

void EventEngine::predict(const float* parameters, const EventBatch& batch, int threads, float* outputs) const {
    const std::vector<std::int64_t> begin = plan(batch);
    const PackedWeights weights(maps_, parameters, false);
    const std::vector<Linear>& maps = weights.linears();
    for_each_chunk(static_cast<std::int64_t>(begin.size()) - 1, threads, [&](std::int64_t chunk) {
        Borrowed<EventWorkspace> borrowed(workspaces_);
        EventWorkspace& workspace = borrowed.get();
        const GruMemory memory = forward(maps, batch, begin[chunk], begin[chunk + 1], false, workspace);
        const int events = workspace.steps.events(), padded = maps.back().out;
        const float* out = workspace.head.forward(path_, head_of(maps), head_count(), events, memory.last);
        for (int event = 0; event < events; ++event)
            std::copy_n(out + event * padded, outputs_, outputs + workspace.steps.position(event) * outputs_);
    });
}

// Head, loss and the head's gradients of a chunk; leaves the gradients of the last states in the workspace.
double EventEngine::head_step(const std::vector<Linear>& maps, const float* targets, const float* weights, Loss loss,
                              EventWorkspace& workspace) const {
    const int events = workspace.steps.events();
    workspace.targets.resize(static_cast<std::size_t>(events) * outputs_);
    workspace.weights.resize(events);
    for (int event = 0; event < events; ++event) {
        const std::int64_t position = workspace.steps.position(event);
        std::copy_n(targets + position * outputs_, outputs_, workspace.targets.data() + event * outputs_);
        workspace.weights[event] = weights[position];
    }
    const Target target{workspace.targets.data(), workspace.weights.data(), outputs_, loss};
    return workspace.head.step(path_, head_of(maps), head_count(), events, workspace.last.data(), target,
                               workspace.gradient.data());
}

double EventEngine::step(const float* parameters, const EventBatch& batch, const float* targets, const float* weights,
                         Loss loss, int threads, float* gradient) const {
    const std::vector<std::int64_t> begin = plan(batch);
    const std::int64_t chunks = static_cast<std::int64_t>(begin.size()) - 1;
    const PackedWeights packed(maps_, parameters, true);
    LaneGradients gradients(maps_, lane_count(chunks));
    std::vector<double> losses(chunks);
    for_each_lane(chunks, threads, [&](int lane, std::int64_t first, std::int64_t end) {
        Borrowed<EventWorkspace> borrowed(workspaces_);
        EventWorkspace& workspace = borrowed.get();
        const std::vector<Linear> maps = gradients.open(lane, packed.linears());
        for (std::int64_t chunk = first; chunk < end; ++chunk) {
            const GruMemory memory = forward(maps, batch, begin[chunk], begin[chunk + 1], true, workspace);
            losses[chunk] = head_step(maps, targets, weights, loss, workspace);
            path_.gru_backward(unit_of(maps), memory, workspace.steps.steps(), workspace.steps.count());
            if (jets_) jets_->backward(maps, jets_->padded_rows(memory.dx + momentum_, input_), workspace.jets);
        }
    });
    gradients.reduce(gradient);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace jetgram::engine
