// The native engine for events: the recursion over each jet, a gated recurrent unit over the jets of an event, a head.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine.hpp"
#include "event_batch.hpp"

namespace jetgram::engine {

// What one chunk of events needs while it is worked on.
struct EventWorkspace {
    Workspace jets;
    EventSteps steps;
    AlignedFloats x, dx, gates, before, reset, last, gradient;
    HeadPass head;
    std::vector<float> targets, weights;  // in the order of the last step
};

// One model of events: a cell (or none, where the unit reads momenta alone), the unit's size, and a head. Parameters
// come with each call as one flat vector: the cell's, the unit's, the head's. Chunks have the given number of jets, or
// as many as suit. Results do not depend on the number of threads.
class EventEngine {
   public:
    EventEngine(const std::string& cell, int features, int hidden, Readout readout, int state,
                const std::vector<int>& head, const Path& path, std::optional<int> chunk = {});

    void predict(const float* parameters, const EventBatch& batch, int threads, float* outputs) const;
    // sum_i weight_i mean_t loss(output_it, target_it), and its gradient.
    double step(const float* parameters, const EventBatch& batch, const float* targets, const float* weights,
                Loss loss, int threads, float* gradient) const;

    const std::vector<LinearSpec>& maps() const { return maps_; }
    int outputs() const { return outputs_; }

   private:
    std::vector<std::int64_t> plan(const EventBatch& batch) const;
    GruMemory forward(const std::vector<Linear>& maps, const EventBatch& batch, std::int64_t begin, std::int64_t end,
                      bool keep, EventWorkspace& workspace) const;
    void fill_inputs(const EventBatch& batch, EventWorkspace& workspace) const;
    double head_step(const std::vector<Linear>& maps, const float* targets, const float* weights, Loss loss,
                     EventWorkspace& workspace) const;
    const Linear* unit_of(const std::vector<Linear>& maps) const { return maps.data() + cell_maps_; }
    const Linear* head_of(const std::vector<Linear>& maps) const { return unit_of(maps) + unit_maps_; }
    int head_count() const { return static_cast<int>(maps_.size()) - cell_maps_ - unit_maps_; }

    const Path& path_;
    std::unique_ptr<const Engine> jets_;  // null where there is no cell
    std::vector<LinearSpec> maps_;        // the cell's, the unit's, the head's
    int cell_maps_, unit_maps_, outputs_;
    EventChunk chunk_;
    int state_, momentum_, input_;  // padded: the unit's states; of its inputs the momentum, and all
    mutable WorkspacePool<EventWorkspace> workspaces_;
};

}  // namespace jetgram::engine
