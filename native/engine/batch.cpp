#include "batch.hpp"

#include "../checks.hpp"

namespace jetgram::engine {

void check(const Batch& batch, int features) {
    const Forest& forest = batch.forest;
    if (forest.columns != features)
        throw std::invalid_argument("the trees have " + std::to_string(forest.columns) + " features; expected " +
                                    std::to_string(features));
    for (std::int64_t i = 0; i < batch.count; ++i)
        expect_group(batch.jets[i], forest.offsets, forest.jets, forest.rows, "tree");
}

Chunks::Chunks(const Batch& batch, int jets_a_chunk) {
    const std::int64_t* offsets = batch.forest.offsets;
    const auto nodes = [&](std::int64_t i) { return offsets[batch.jets[i] + 1] - offsets[batch.jets[i]]; };
    const std::int64_t chunks = (batch.count + jets_a_chunk - 1) / jets_a_chunk;
    std::int64_t left = 0;  // nodes
    for (std::int64_t i = 0; i < batch.count; ++i) left += nodes(i);
    for (std::int64_t chunk = 0, jet = 0; chunk < chunks; ++chunk) {
        const std::int64_t chunks_after = chunks - chunk - 1, share = left / (chunks - chunk);
        std::int64_t taken = 0;
        do taken += nodes(jet++);
        while (batch.count - jet > chunks_after && (chunks_after == 0 || taken + nodes(jet) / 2 < share));
        left -= taken;
        begin_.push_back(jet);
    }
}

}  // namespace jetgram::engine
