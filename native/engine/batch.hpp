// Some jets out of many, and how they are shared out.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule.hpp"

namespace jetgram::engine {

// Some jets of a forest, in the order given.
struct Batch {
    Forest forest;
    const std::int64_t* jets;
    std::int64_t count;
};

// Throws std::invalid_argument where jets, offsets or the number of features do not fit.
void check(const Batch& batch, int features);

// A batch in chunks of about equally many nodes, so that threads finish together.
class Chunks {
   public:
    // One chunk for every `jets_a_chunk` jets, rounded up.
    Chunks(const Batch& batch, int jets_a_chunk);

    std::int64_t count() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
    std::int64_t begin(std::int64_t chunk) const { return begin_[chunk]; }  // its first jet's position in the batch
    std::int64_t jets() const { return begin_.back(); }
    Batch part(const Batch& batch, std::int64_t chunk) const {
        return {batch.forest, batch.jets + begin_[chunk], begin_[chunk + 1] - begin_[chunk]};
    }

   private:
    std::vector<std::int64_t> begin_{0};
};

}  // namespace jetgram::engine
