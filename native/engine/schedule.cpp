#include "schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "../checks.hpp"
#include "../threads.hpp"

namespace jetgram::engine {

namespace {

[[noreturn]] void no_tree(std::int64_t jet, const std::string& found) {
    throw std::invalid_argument("tree " + std::to_string(jet) + ": " + found);
}

// The nodes of one tree, breadth first, and whether each is an inner one.
void walk(std::int64_t jet, const std::int32_t* children, std::int64_t nodes, std::int64_t* queue, std::uint8_t* inner,
          std::vector<std::uint8_t>& seen) {
    if (nodes % 2 == 0) no_tree(jet, "it has " + std::to_string(nodes) + " nodes; expected an odd number");
    seen.assign(nodes, 0);
    std::int64_t known = 0;
    queue[known++] = nodes - 1;
    for (std::int64_t row = 0; row < known; ++row) {
        const std::int32_t* pair = children + 2 * queue[row];
        inner[row] = pair[0] >= 0;
        if (!inner[row]) continue;
        for (int side = 0; side < 2; ++side) {
            if (pair[side] < 0 || pair[side] >= queue[row] || seen[pair[side]]++)
                no_tree(jet, "node " + std::to_string(queue[row]) + " has the children " + std::to_string(pair[0]) +
                                 ", " + std::to_string(pair[1]) + "; expected two nodes before it, each used once");
            queue[known++] = pair[side];
        }
    }
    if (known != nodes)
        no_tree(jet, "the root reaches " + std::to_string(known) + " of " + std::to_string(nodes) + " nodes");
}

}  // namespace

void breadth_first(const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets, int threads,
                   std::int64_t* order, std::uint8_t* inner) {
    parallel_blocks(jets, 256, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<std::uint8_t> seen;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t first = offsets[jet];
            walk(jet, children + 2 * first, offsets[jet + 1] - first, order + first, inner + first, seen);
            for (std::int64_t row = first; row < offsets[jet + 1]; ++row) order[row] += first;
        }
    });
}

const Chunk& ChunkSchedule::build(const Forest& forest, const std::int64_t* jets, int count, const SlotLayout& layout,
                                  Readout readout) {
    jet_begin_.assign(1, 0);
    jet_features_.clear();
    // Rows, and floats of all rows, are counted with ints.
    const std::int64_t most = MAX_INT / std::max<std::int64_t>({forest.columns, layout.stride, layout.saved});
    for (int b = 0; b < count; ++b) {
        const std::int64_t first = forest.offsets[jets[b]];
        expect_range(jet_begin_[b] + forest.offsets[jets[b] + 1] - first, 1, most, "rows of trees worked on together");
        jet_begin_.push_back(jet_begin_[b] + static_cast<int>(forest.offsets[jets[b] + 1] - first));
        jet_features_.push_back(forest.features + first * forest.columns);
    }
    const int rows = jet_begin_[count], slots = (rows - count) / 2;
    inner_row_.resize(slots + 1);  // one more: the counting loop writes before it knows
    height_.resize(slots);
    for (int b = 0, inner = 0; b < count; ++b) {
        const int nodes = jet_begin_[b + 1] - jet_begin_[b];
        collect(forest.inner + forest.offsets[jets[b]], jets[b], nodes, inner_row_.data() + inner,
                height_.data() + inner);
        inner += nodes / 2;
    }
    const int lifted = readout == Readout::children ? lift_roots(count) : 0;
    number_slots(slots);
    assign_targets(count, layout);
    chunk_ = {count,
              slots,
              static_cast<int>(level_begin_.size()) - 1 - lifted,
              level_begin_.data(),
              output_.data(),
              jet_begin_.data(),
              jet_features_.data(),
              input_.data(),
              slot_jet_.data()};
    return chunk_;
}

// Rows and heights of the inner nodes of one jet, without branches on the flags, which no processor can predict.
void ChunkSchedule::collect(const std::uint8_t* flags, std::int64_t jet, int nodes, int* inner_row, int* height) {
    const int expected = nodes / 2;
    int found = 0;
    for (int row = 0; row < nodes && found <= expected; ++row) {
        inner_row[found] = row;
        found += flags[row] != 0;
    }
    if (nodes % 2 == 0 || found != expected)
        no_tree(jet, "its " + std::to_string(nodes) + " rows have not exactly one leaf more than inner nodes");
    row_height_.assign(nodes, 0);
    for (int i = expected - 1; i >= 0; --i) {
        if (inner_row[i] > 2 * i) no_tree(jet, "row " + std::to_string(inner_row[i]) + " comes after its children");
        height[i] = 1 + std::max(row_height_[2 * i + 1], row_height_[2 * i + 2]);
        row_height_[inner_row[i]] = height[i];
    }
}

// Moves all roots to one level above all other nodes, and returns how many levels that makes: one, or none without any.
int ChunkSchedule::lift_roots(int count) {
    if (height_.empty()) return 0;
    const int top = *std::max_element(height_.begin(), height_.end());  // a root's: it is higher than all under it
    for (int b = 0, inner = 0; b < count; ++b) {
        const int nodes = jet_begin_[b + 1] - jet_begin_[b];
        if (nodes > 1) height_[inner] = top;
        inner += nodes / 2;
    }
    return 1;
}

// Counting sort by height.
void ChunkSchedule::number_slots(int slots) {
    const int levels = slots ? *std::max_element(height_.begin(), height_.end()) : 0;
    level_begin_.assign(levels + 1, 0);
    for (const int height : height_) ++level_begin_[height];
    // Summed up, element h is the end of height h and the beginning of height h + 1, which is level h.
    for (int level = 1; level <= levels; ++level) level_begin_[level] += level_begin_[level - 1];
    next_ = level_begin_;
    slot_.resize(slots);
    for (int i = 0; i < slots; ++i) slot_[i] = next_[height_[i] - 1]++;
}

void ChunkSchedule::assign_targets(int count, const SlotLayout& layout) {
    const int slots = static_cast<int>(slot_.size());
    output_.resize(slots);
    input_.resize(jet_begin_[count]);
    slot_jet_.resize(slots);
    const int* slot = slot_.data();
    const int* inner_row = inner_row_.data();
    for (int b = 0; b < count; ++b) {
        const int nodes = jet_begin_[b + 1] - jet_begin_[b];
        std::ptrdiff_t* target = input_.data() + jet_begin_[b];
        // First as if all were leaves: the state goes to the parent's slot, that of the root behind all slots.
        target[0] = slots * layout.stride + b * static_cast<std::ptrdiff_t>(layout.hidden);
        for (int i = 0; i < nodes / 2; ++i) {
            target[2 * i + 1] = slot[i] * layout.stride + layout.children;
            target[2 * i + 2] = target[2 * i + 1] + layout.hidden;
        }
        // Then the inner nodes: that was for their state, and their u goes to their own slot.
        for (int i = 0; i < nodes / 2; ++i) {
            output_[slot[i]] = target[inner_row[i]];
            slot_jet_[slot[i]] = b;
            target[inner_row[i]] = slot[i] * layout.stride + layout.children + 2 * layout.hidden;
        }
        slot += nodes / 2;
        inner_row += nodes / 2;
    }
}

}  // namespace jetgram::engine
