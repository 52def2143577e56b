#include "card.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "fields.hpp"
#include "files.hpp"
#include "jetgram/tagger.hpp"
#include "sha256.hpp"

namespace jetgram {

namespace {

constexpr std::uintmax_t max_card = 16 << 20;  // bytes
constexpr std::int64_t newest_format = 2;
constexpr std::int64_t max_hidden = 4096;
constexpr std::size_t max_outputs = 1000;

struct FeatureNames {
    FeatureSet set;
    std::string name;
    std::vector<std::string> columns;
};

// In the order of FeatureSet.
const std::vector<FeatureNames> feature_sets{
    {FeatureSet::paper, "paper", {"p", "eta", "phi", "E", "E/E_jet", "pT", "theta"}},
    {FeatureSet::paper_and_classes,
     "paper+pclass",
     {"p", "eta", "phi", "E", "E/E_jet", "pT", "theta", "charged hadron +", "charged hadron -", "photon",
      "neutral hadron"}},
    {FeatureSet::lund,
     "lund",
     {"leaf: ln pT", "leaf: ln pT/pT_jet", "leaf: ln Delta", "leaf: u", "leaf: v", "leaf: ln E", "inner: ln pT",
      "inner: ln pT/pT_jet", "inner: ln Delta_LR", "inner: ln z", "inner: ln kT", "inner: ln m", "inner: u", "inner: v",
      "leaf"}},
};
const std::vector<std::string> topologies{"kt", "ca", "antikt", "random", "asc-pt", "desc-pt"};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

// One of the words that this library knows.
std::string known(const Fields& fields, std::string_view name, const std::vector<std::string>& words) {
    const std::string found = fields.text(name);
    if (std::find(words.begin(), words.end(), found) == words.end())
        fields.refuse(name, found, "one that this library has: " + joined(words));
    return found;
}

const FeatureNames& features_of(const Fields& settings) {
    std::vector<std::string> names;
    for (const FeatureNames& one : feature_sets) names.push_back(one.name);
    const std::string found = known(settings, "features", names);
    return *std::find_if(feature_sets.begin(), feature_sets.end(), [&](const auto& one) { return one.name == found; });
}

Scaler scaler_of(const Fields& fields) {
    fields.only({"center", "scale", "limit"});
    Scaler scaler{fields.reals("center"), fields.reals("scale"), {}};
    scaler.limit.assign(scaler.center.size(), std::numeric_limits<double>::infinity());
    if (fields.has("limit")) scaler.limit = fields.reals("limit", std::numeric_limits<double>::infinity());
    for (const auto& [name, values] : {std::pair("scale", scaler.scale), std::pair("limit", scaler.limit)}) {
        if (values.size() != scaler.center.size())
            fields.refuse(name, std::to_string(values.size()) + " numbers", "one per centre");
        for (const double value : values)
            if (!(value > 0)) fields.refuse(name, std::to_string(value), "numbers above 0");
    }
    return scaler;
}

std::vector<std::string> topologies_of(const Fields& settings) {
    std::vector<std::string> names{""};
    for (const char c : settings.text("topology")) {
        if (c == '+')
            names.emplace_back();
        else
            names.back() += c;
    }
    for (const std::string& name : names) {
        if (std::find(topologies.begin(), topologies.end(), name) == topologies.end())
            settings.refuse("topology", name, "one that this library has: " + joined(topologies));
        if (std::count(names.begin(), names.end(), name) > 1) settings.refuse("topology", name, "it once only");
    }
    return names;
}

void read_head(const Fields& settings, Card& card) {
    const bool regressor = known(settings, "head", {"classifier", "regressor"}) == "regressor";
    const std::vector<std::string> targets = settings.texts("targets");
    card.answer = Answer::probability;
    card.names = {"score"};
    if (regressor) {
        card.answer = Answer::numbers;
        card.names = targets;
    } else if (!settings.is_null("classes")) {
        const std::vector<std::string> classes = settings.labels("classes");
        if (classes.size() < 2) settings.refuse("classes", joined(classes), "two or more");
        if (classes.size() > 2) {
            card.answer = Answer::probabilities;
            card.names.clear();
            for (const std::string& label : classes) card.names.push_back("score_" + label);
        }
    }
    if (card.names.empty() || card.names.size() > max_outputs)
        settings.refuse("targets", std::to_string(card.names.size()), "1 to " + std::to_string(max_outputs));
}

// Models on images or sets of particles, and of events, need what this library does not have.
void refuse_other_inputs(const Fields& settings) {
    if (!settings.is_null("event"))
        settings.refuse("event", settings.text("event"), "a model of jets; this library does not read events");
    if (!settings.is_null("input") && settings.text("input") != "constituents")
        settings.refuse("input", settings.text("input"), "constituents; this library has recursive networks on trees alone");
}

// Formats 1 and 2: all settings in one table.
void read_settings(const Fields& settings, Card& card) {
    refuse_other_inputs(settings);
    settings.only({"input", "cell", "topology", "hidden", "features", "preprocess", "trim", "image_chain", "tree_seed",
                   "readout", "head", "classes", "targets", "loss", "initialisation", "engine", "event"});
    card.preprocess = settings.truth("preprocess");
    if (!settings.is_null("trim")) card.trim = settings.real("trim");
    if (card.trim && !(*card.trim > 0 && *card.trim < 1))
        settings.refuse("trim", std::to_string(*card.trim), "a fraction between 0 and 1");
    card.topologies = topologies_of(settings);
    card.tree_seed = static_cast<std::uint64_t>(settings.whole("tree_seed", 0, INT64_MAX));
    card.features = features_of(settings).set;
    card.cell = known(settings, "cell", {"simple", "gated", "blend"});
    card.hidden = static_cast<int>(settings.whole("hidden", 1, max_hidden));
    card.readout = settings.has("readout") ? known(settings, "readout", {"root", "children", "mean"}) : "root";
    read_head(settings, card);
}

void read_scalers(const Fields& fields, Card& card) {
    const std::vector<std::string>& expected = feature_sets[static_cast<std::size_t>(card.features)].columns;
    if (const std::vector<std::string> found = fields.texts("features"); found != expected)
        fields.refuse("features", joined(found), joined(expected));
    card.scaler = scaler_of(fields.object("scaler"));
    if (card.scaler.center.size() != expected.size())
        fields.refuse("scaler", std::to_string(card.scaler.center.size()) + " columns",
                      std::to_string(expected.size()));
    if (!fields.is_null("target_scaler")) card.target_scaler = scaler_of(fields.object("target_scaler"));
    const std::size_t scaled = card.target_scaler ? card.target_scaler->center.size() : 0;
    const std::size_t wanted = card.answer == Answer::numbers ? card.names.size() : 0;
    if (scaled != wanted)
        fields.refuse("target_scaler", std::to_string(scaled) + " targets", std::to_string(wanted));
}

json::Value parse_file(const std::filesystem::path& file) {
    const std::string content = read_bytes(file, max_card);
    try {
        return json::parse(content);
    } catch (const std::invalid_argument& error) {
        throw ModelError(file.string() + " is damaged: " + error.what());
    }
}

// The kind, the format and the seal.
void require_sealed(const Fields& fields) {
    const json::Value* kind = json::find(fields.members(), "kind");
    if (!kind || !kind->as<std::string>() || *kind->as<std::string>() != "jetgram model")
        throw ModelError(fields.where() + " is no model of jetgram: its kind is not 'jetgram model'");
    const std::int64_t format = fields.whole("format", 1, INT64_MAX);
    if (format > newest_format)
        throw ModelError(fields.where() + " has format " + std::to_string(format) + "; this library reads 1 to " +
                         std::to_string(newest_format) + ": take a newer one");
    if (fields.text("digest") != sha256(json::dump(fields.members(), "digest")))
        throw ModelError(fields.where() + " was changed after it was written: its digest does not fit its content");
}

}  // namespace

Card read_card(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "model.json";
    if (!std::filesystem::is_directory(folder))
        throw ModelError(folder.string() + " is not a folder; a model is a folder with a model.json");
    const json::Value content = parse_file(file);
    const Fields fields(content, file.string());
    require_sealed(fields);
    fields.only({"kind", "format", "settings", "training", "features", "scaler", "target_scaler", "data", "metrics",
                 "versions", "weights", "digest"});
    Card card{};
    card.digest = fields.text("digest");
    card.weights = fields.text("weights");
    read_settings(fields.object("settings"), card);
    read_scalers(fields, card);
    return card;
}

}  // namespace jetgram
