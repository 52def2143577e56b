// From trees to schedules. Trees are stored breadth first with siblings adjacent, so that the i-th inner node of a jet
// has the children 2i + 1 and 2i + 2, and one flag a node (inner or leaf) is the whole structure.
#pragma once

#include <cstdint>
#include <vector>

#include "path.hpp"
#include "readout.hpp"

namespace jetgram::engine {

// Many trees, breadth first: row r of jet j is offsets[j] + r, the root is row 0.
struct Forest {
    const float* features;      // (rows, columns)
    const std::uint8_t* inner;  // (rows) 1 at inner nodes, 0 at leaves
    const std::int64_t* offsets;
    std::int64_t jets;
    std::int64_t rows;
    int columns;
};

// The breadth-first rows of trees given by children (-1 at leaves) and the root last: `order` maps rows to nodes.
// Throws std::invalid_argument where the children make no tree.
void breadth_first(const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets, int threads,
                   std::int64_t* order, std::uint8_t* inner);

// The schedule of some jets of a forest; see Chunk. One object serves many chunks, one after the other.
class ChunkSchedule {
   public:
    // Roots that the readout leaves out get a slot, for the states of their children, but no level. Throws
    // std::invalid_argument where flags make no tree.
    const Chunk& build(const Forest& forest, const std::int64_t* jets, int count, const SlotLayout& layout,
                       Readout readout);
    const Chunk& chunk() const { return chunk_; }

   private:
    void collect(const std::uint8_t* flags, std::int64_t jet, int nodes, int* inner_row, int* height);
    int lift_roots(int count);
    void number_slots(int slots);
    void assign_targets(int count, const SlotLayout& layout);

    Chunk chunk_{};
    std::vector<int> jet_begin_;   // (jets + 1)
    std::vector<int> inner_row_;   // (slots) row of each inner node within its jet
    std::vector<int> height_;      // (slots)
    std::vector<int> slot_;        // (slots) slot of each inner node
    std::vector<int> row_height_;  // rows of one jet
    std::vector<int> level_begin_;
    std::vector<int> next_;
    std::vector<std::ptrdiff_t> output_;
    std::vector<std::ptrdiff_t> input_;
    std::vector<int> slot_jet_;
    std::vector<const float*> jet_features_;
};

}  // namespace jetgram::engine
