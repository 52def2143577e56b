// The network of a model: the recursive embedding of each tree of a jet, side by side, and the head.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "../engine/engine.hpp"
#include "card.hpp"
#include "safetensors.hpp"

namespace jetgram {

// What one thread needs while it works; kept from call to call.
struct NetworkMemory {
    std::vector<std::int64_t> jets;
    std::vector<float> embeddings;
    engine::AlignedFloats rows;
    engine::HeadPass head;
};

class Network {
   public:
    // With the weights of a model folder; a ModelError where they are not those of the card.
    Network(const Card& card, const std::filesystem::path& folder);

    // Columns of features that it reads at each node.
    int features() const { return features_; }
    int outputs() const { return outputs_; }

    // The outputs (jets, outputs) of all jets: one forest per topology, each with a tree of every jet.
    void predict(std::span<const engine::Forest> forests, NetworkMemory& memory, float* outputs) const;

   private:
    // The embedding of one topology's trees.
    struct Part {
        std::unique_ptr<const engine::Engine> engine;
        engine::PackedWeights weights;
    };

    const engine::Path& path_;
    int features_, outputs_, embedding_ = 0;
    std::vector<Part> parts_;
    std::vector<engine::LinearSpec> head_maps_;
    std::unique_ptr<const engine::PackedWeights> head_;
};

}  // namespace jetgram
