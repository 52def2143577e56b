// Some events out of many: sequences of jets (or of particles), and how they are shared out.
#pragma once

#include <cstdint>
#include <vector>

#include "batch.hpp"

namespace jetgram::engine {

inline constexpr int COLUMNS = 4;  // phi, eta, pT, m

// Event e is the jets offsets[e], ..., offsets[e + 1] - 1, hardest first; jet j has tree j of the forest, if there is one.
struct EventBatch {
    Forest forest;               // without rows where jets have no trees
    const float* momenta;        // (jets, COLUMNS)
    const std::int64_t* offsets; // (events + 1)
    std::int64_t jets, events;
    const std::int64_t* chosen;  // (count) the events of the batch
    std::int64_t count;

    std::int64_t length(std::int64_t i) const { return offsets[chosen[i] + 1] - offsets[chosen[i]]; }
};

// Throws std::invalid_argument where the chosen events or their offsets do not fit, or an event has no jet.
void check(const EventBatch& batch);

// How many events are worked on together.
struct EventChunk {
    int jets;    // no further event once it has so many jets together
    int events;  // at most so many events
};

// Where the chunks of a batch begin, and its end.
std::vector<std::int64_t> event_chunks(const EventBatch& batch, EventChunk chunk);

// Events as steps of a recurrent unit, which takes their softest jets first. All end together: those with fewer jets
// begin later. Within a step, events stand by falling length.
class EventSteps {
   public:
    void build(const EventBatch& batch, std::int64_t begin, std::int64_t end);

    int events() const { return static_cast<int>(order_.size()); }
    int rows() const { return static_cast<int>(jets_.size()); }
    int steps() const { return static_cast<int>(count_.size()); }
    const int* count() const { return count_.data(); }                // (steps) rows of each step
    const std::int64_t* jets() const { return jets_.data(); }         // (rows)
    std::int64_t position(int event) const { return order_[event]; }  // in the batch, of an event of the last step

   private:
    std::vector<std::int64_t> order_, jets_;
    std::vector<int> count_;
};

}  // namespace jetgram::engine
