// Jets as a network reads them: preprocessed, as trees, with the scaled features of their nodes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../engine/schedule.hpp"
#include "../scaling.hpp"
#include "../tree_rows.hpp"
#include "card.hpp"
#include "jetgram/tagger.hpp"

namespace jetgram {

// Reads jets for one thread, and keeps its memory from call to call.
class JetReader {
   public:
    explicit JetReader(const Card& card);
    JetReader(const JetReader&) = delete;  // its trees know where its scaling is

    // One forest per topology; they live until the next call. `first` is the number of the first jet, for messages.
    // Throws BadJetError.
    std::span<const engine::Forest> read(std::span<const Jet> jets, std::int64_t first);

   private:
    // The trees of one topology, breadth first.
    struct View {
        TreeRows trees;
        std::vector<float> features;
        std::vector<std::uint8_t> inner;
    };

    void gather(std::span<const Jet> jets, std::int64_t first);
    std::array<double, 4> total(std::int64_t jet) const;
    void trim_or_align();
    void keep_hard(double fraction);
    void merge_close();
    template <class Kept>
    void compress(Kept&& kept);
    void require_physical(std::int64_t first) const;
    engine::Forest schedule(View& view, std::int64_t first);
    std::int64_t fill(View& view);
    void join_classes(float* rows);

    const Card& card_;
    ColumnScaling scaling_;
    bool classes_are_read_;
    std::int64_t columns_, computed_;  // of the features; of those that come from the momenta
    std::vector<View> views_;
    std::vector<engine::Forest> forests_;

    std::vector<double> momenta_;                       // of the constituents
    std::vector<std::int64_t> offsets_, node_offsets_;  // of the jets among constituents, and among nodes
    std::vector<int> classes_;
    std::vector<std::int32_t> labels_;
    std::vector<std::uint8_t> kept_;
    std::vector<double> min_pt_, sums_;
    std::vector<std::int64_t> hardest_;
    std::vector<float> rows_;          // what is computed of the momenta, where classes come behind it
    std::vector<std::int32_t> nodes_;  // in these rows
};

}  // namespace jetgram
