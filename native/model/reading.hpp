// Jets as a network reads them: preprocessed, as trees, with the scaled features of their nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../clustering.hpp"
#include "../engine/schedule.hpp"
#include "../subjets.hpp"
#include "card.hpp"
#include "jetgram/tagger.hpp"

namespace jetgram {

// Reads jets for one thread, and keeps its memory from call to call.
class JetReader {
   public:
    explicit JetReader(const Card& card);

    // One forest per topology; they live until the next call. `first` is the number of the first jet, for messages.
    // Throws BadJetError.
    std::span<const engine::Forest> read(std::span<const Jet> jets, std::int64_t first);

   private:
    // The trees of one topology, breadth first.
    struct View {
        TreeBuilder build;
        std::vector<float> features;
        std::vector<std::uint8_t> inner;
    };

    void gather(std::span<const Jet> jets, std::int64_t first);
    void trim_or_align();
    void keep_hard(double fraction);
    void merge_close();
    template <class Kept>
    void compress(Kept&& kept);
    void require_physical(std::int64_t first) const;
    engine::Forest schedule(std::size_t topology, std::int64_t first);
    void fill_features(std::size_t topology);
    bool fill_row(std::int64_t jet, std::int64_t node, float* row) const;

    const Card& card_;
    std::vector<float> center_, scale_, limit_;
    bool classes_are_read_;
    std::int64_t computed_;  // columns of features that come from the momenta
    std::vector<View> views_;
    std::vector<engine::Forest> forests_;

    std::vector<double> momenta_;                       // of the constituents
    std::vector<std::int64_t> offsets_, node_offsets_;  // of the jets among constituents, and among nodes
    std::vector<int> classes_;
    std::vector<std::int32_t> labels_;
    std::vector<std::uint8_t> kept_;
    std::vector<double> min_pt_, sums_;
    std::vector<std::int64_t> hardest_;
    std::vector<Tree> trees_;
    std::vector<double> nodes_, features_;  // momenta and features of the nodes of one topology
    std::vector<std::int32_t> children_;
    std::vector<std::int64_t> order_;
};

}  // namespace jetgram
