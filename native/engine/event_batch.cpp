#include "event_batch.hpp"

#include <algorithm>
#include <numeric>

#include "../checks.hpp"

namespace jetgram::engine {

void check(const EventBatch& batch) {
    for (std::int64_t i = 0; i < batch.count; ++i)
        expect_group(batch.chosen[i], batch.offsets, batch.events, batch.jets, "event");
}

std::vector<std::int64_t> event_chunks(const EventBatch& batch, EventChunk chunk) {
    std::vector<std::int64_t> begin{0};
    std::int64_t jets = 0;
    for (std::int64_t i = 0; i < batch.count; ++i) {
        jets += batch.length(i);
        const bool full = jets >= chunk.jets || i + 1 - begin.back() >= chunk.events;
        if (!full && i + 1 < batch.count) continue;
        begin.push_back(i + 1);
        jets = 0;
    }
    return begin;
}

void EventSteps::build(const EventBatch& batch, std::int64_t begin, std::int64_t end) {
    order_.resize(end - begin);
    std::iota(order_.begin(), order_.end(), begin);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int64_t a, std::int64_t b) { return batch.length(a) > batch.length(b); });
    jets_.clear();
    count_.clear();
    for (std::int64_t rank = batch.length(order_.front()) - 1; rank >= 0; --rank) {
        const std::size_t before = jets_.size();
        for (const std::int64_t i : order_) {
            if (batch.length(i) <= rank) break;
            jets_.push_back(batch.offsets[batch.chosen[i]] + rank);
        }
        expect_range(static_cast<std::int64_t>(jets_.size()), 1, MAX_INT, "jets of events worked on together");
        count_.push_back(static_cast<int>(jets_.size() - before));
    }
}

}  // namespace jetgram::engine
