// What model.json says of a model of jets, checked. All knowledge of the file's layout is in card.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace jetgram {

// x' = (x - center) / scale, column by column, cut off at -limit and limit. Where there is such a limit, a value that
// is not there (NaN) becomes 0.
struct Scaler {
    std::vector<double> center, scale;
    std::vector<double> limit;  // infinite where there is none
};

// What is read at each node.
enum class FeatureSet {
    paper,
    paper_and_classes,  // of the constituents
    lund,               // of clean jets
};

// From the network's outputs to answers.
enum class Answer {
    probability,    // 1 / (1 + exp(-f))
    probabilities,  // exp(f_c) / sum_k exp(f_k)
    numbers,        // scaled back
};

struct Card {
    std::string digest;   // of everything in model.json
    std::string weights;  // SHA-256 of model.safetensors

    // How a jet is read.
    bool preprocess;
    std::optional<double> trim;
    std::vector<std::string> topologies;  // more than one: a stereo model
    std::uint64_t tree_seed;
    FeatureSet features;
    Scaler scaler;

    // The network.
    std::string cell;
    int hidden;
    std::string readout;
    Answer answer;
    std::vector<std::string> names;       // of the outputs
    std::optional<Scaler> target_scaler;  // of numbers
};

// Of a model folder; a ModelError where it is missing, damaged, of a newer format, or not a model for this library.
Card read_card(const std::filesystem::path& folder);

}  // namespace jetgram
