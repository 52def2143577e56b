#include "network.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "../engine/choose_path.hpp"
#include "files.hpp"
#include "jetgram/tagger.hpp"
#include "sha256.hpp"

namespace jetgram {

namespace {

constexpr int trees_at_a_time = 8;

// Takes tensors by name; none may be missing, of another shape, or left over.
class Weights {
   public:
    Weights(const Card& card, const std::filesystem::path& file, std::size_t floats) : file_(file.string()) {
        const std::string content = read_bytes(file, floats * sizeof(float) + MAX_HEADER);
        if (sha256(content) != card.weights)
            throw ModelError(file_ + " is damaged or not the model's: its SHA-256 is not the one in model.json");
        try {
            tensors_ = parse_safetensors(content);
        } catch (const std::invalid_argument& error) {
            throw ModelError(file_ + " is no file of weights: " + error.what());
        }
    }

    // All parameters of the maps, flat, as engines read them; `name_of` gives their names in the file.
    template <class Name>
    std::vector<float> take(const std::vector<engine::LinearSpec>& maps, Name&& name_of) {
        std::vector<float> flat;
        for (std::size_t i = 0; i < maps.size(); ++i) {
            const std::int64_t out = maps[i].out.size(), in = maps[i].in.size();
            append(name_of(i, maps[i].weight, true), {out, in}, flat);
            if (maps[i].has_bias()) append(name_of(i, maps[i].bias, false), {out}, flat);
        }
        return flat;
    }

    void require_all_taken() const {
        if (!tensors_.empty())
            throw ModelError(file_ + ": " + tensors_.begin()->first + " is no weight of a model with these settings");
    }

   private:
    void append(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<float>& flat) {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) throw ModelError(file_ + ": " + name + " is missing");
        const Tensor& tensor = found->second;
        if (tensor.shape != shape)
            throw ModelError(file_ + ": " + name + " has shape " + shape_text(tensor.shape) + "; the settings make " +
                             shape_text(shape));
        flat.insert(flat.end(), tensor.values.begin(), tensor.values.end());
        tensors_.erase(found);
    }

    std::string file_;
    Tensors tensors_;
};

}  // namespace

Network::Network(const Card& card, const std::filesystem::path& folder)
    : path_(engine::choose_path("auto")),
      features_(static_cast<int>(card.scaler.center.size())),
      outputs_(static_cast<int>(card.names.size())) {
    const engine::Readout readout = engine::readout_named(card.readout);
    std::vector<std::unique_ptr<const engine::Engine>> engines;
    std::size_t floats = 0;
    for (std::size_t i = 0; i < card.topologies.size(); ++i) {
        engines.push_back(std::make_unique<const engine::Engine>(card.cell, features_, card.hidden, readout,
                                                                 std::vector<int>{}, path_, trees_at_a_time));
        floats += engine::parameter_count(engines.back()->maps());
        embedding_ += engines.back()->embedding();
    }
    // The layers between are as wide as the states of the roots, however many states are read of each tree.
    const int width = card.hidden * static_cast<int>(card.topologies.size());
    head_maps_ = engine::head_maps({embedding_, width, width, outputs_}, path_);
    floats += engine::parameter_count(head_maps_);

    Weights weights(card, folder / "model.safetensors", floats);
    for (std::size_t part = 0; part < engines.size(); ++part) {
        const std::string prefix =
            engines.size() > 1 ? "embedding.parts." + std::to_string(part) + ".cell." : "embedding.cell.";
        const std::vector<float> flat = weights.take(
            engines[part]->maps(), [&](std::size_t, const std::string& name, bool) { return prefix + name; });
        engine::PackedWeights packed(engines[part]->maps(), flat.data(), false);
        parts_.push_back({std::move(engines[part]), std::move(packed)});
    }
    const std::vector<float> flat = weights.take(head_maps_, [](std::size_t layer, const std::string&, bool weight) {
        return "head.layers." + std::to_string(layer) + (weight ? ".weight" : ".bias");
    });
    head_ = std::make_unique<const engine::PackedWeights>(head_maps_, flat.data(), false);
    weights.require_all_taken();
}

void Network::predict(std::span<const engine::Forest> forests, NetworkMemory& memory, float* outputs) const {
    const std::int64_t jets = forests.front().jets;
    const std::vector<engine::Linear>& maps = head_->linears();
    const int padded = maps.front().in;
    memory.jets.resize(jets);
    std::iota(memory.jets.begin(), memory.jets.end(), std::int64_t{0});
    float* rows = memory.rows.reserve(static_cast<std::size_t>(jets) * padded);
    std::fill_n(rows, jets * padded, 0.0f);
    int column = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const engine::Engine& part = *parts_[i].engine;
        memory.embeddings.resize(jets * part.embedding());
        part.embed(parts_[i].weights, {forests[i], memory.jets.data(), jets}, 1, memory.embeddings.data());
        for (std::int64_t jet = 0; jet < jets; ++jet)
            std::copy_n(memory.embeddings.data() + jet * part.embedding(), part.embedding(),
                        rows + jet * padded + column);
        column += part.embedding();
    }
    const int layers = static_cast<int>(maps.size());
    const float* out = memory.head.forward(path_, maps.data(), layers, static_cast<int>(jets), rows);
    for (std::int64_t jet = 0; jet < jets; ++jet)
        std::copy_n(out + jet * maps.back().out, outputs_, outputs + jet * outputs_);
}

}  // namespace jetgram
