#include "jetgram/tagger.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../checks.hpp"
#include "../engine/workspace.hpp"
#include "../threads.hpp"
#include "card.hpp"
#include "network.hpp"
#include "reading.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 32;  // their trees stay in cache

// What one thread needs.
struct Workspace {
    std::optional<JetReader> reader;
    NetworkMemory network;
    std::vector<float> outputs;
};

double probability(double logit) {
    const double decay = std::exp(-std::abs(logit));
    return (logit >= 0 ? 1.0 : decay) / (1.0 + decay);
}

}  // namespace

class Tagger::Model {
   public:
    explicit Model(const std::filesystem::path& folder) : card_(read_card(folder)), network_(card_, folder) {}

    const Card& card() const { return card_; }
    std::size_t outputs() const { return card_.names.size(); }

    // The answers (jets, outputs).
    void predict(std::span<const Jet> jets, int threads, double* answers) const {
        parallel_blocks(static_cast<std::int64_t>(jets.size()), jets_at_a_time, threads,
                        [&](std::int64_t begin, std::int64_t end, int) {
                            predict_some(jets.subspan(begin, end - begin), begin, answers + begin * outputs());
                        });
    }

   private:
    void predict_some(std::span<const Jet> jets, std::int64_t first, double* answers) const {
        engine::Borrowed<Workspace> borrowed(workspaces_);
        Workspace& workspace = borrowed.get();
        if (!workspace.reader) workspace.reader.emplace(card_);
        workspace.outputs.resize(jets.size() * outputs());
        network_.predict(workspace.reader->read(jets, first), workspace.network, workspace.outputs.data());
        for (std::size_t jet = 0; jet < jets.size(); ++jet)
            answer(workspace.outputs.data() + jet * outputs(), first + static_cast<std::int64_t>(jet),
                   answers + jet * outputs());
    }

    void answer(const float* outputs, std::int64_t jet, double* answers) const {
        const std::size_t count = this->outputs();
        if (!std::all_of(outputs, outputs + count, [](float x) { return std::isfinite(x); }))
            throw BadJetError("jet " + std::to_string(jet) +
                              ": the network's numbers overflow; the jet is too far from those of the training");
        if (card_.answer == Answer::probability) {
            answers[0] = probability(outputs[0]);
        } else if (card_.answer == Answer::numbers) {
            for (std::size_t i = 0; i < count; ++i)
                answers[i] = outputs[i] * card_.target_scaler->scale[i] + card_.target_scaler->center[i];
        } else {
            const float most = *std::max_element(outputs, outputs + count);
            double sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += answers[i] = std::exp(double{outputs[i] - most});
            for (std::size_t i = 0; i < count; ++i) answers[i] /= sum;
        }
    }

    Card card_;
    Network network_;
    mutable engine::WorkspacePool<Workspace> workspaces_;
};

Tagger::Tagger(const std::filesystem::path& folder) : model_(std::make_unique<const Model>(folder)) {}
Tagger::~Tagger() = default;
Tagger::Tagger(Tagger&&) noexcept = default;
Tagger& Tagger::operator=(Tagger&&) noexcept = default;

double Tagger::score(std::span<const FourMomentum> constituents) const { return score(Jet{constituents}); }

double Tagger::score(const Jet& jet) const { return score(std::span(&jet, 1)).front(); }

std::vector<double> Tagger::score(std::span<const Jet> jets, int threads) const {
    if (names().size() != 1)
        throw Error("this model has " + std::to_string(names().size()) + " outputs per jet; ask for `outputs`");
    return outputs(jets, threads);
}

std::vector<double> Tagger::outputs(std::span<const Jet> jets, int threads) const {
    if (threads < 1 || threads > MAX_THREADS)
        throw Error("found " + std::to_string(threads) + " threads; expected 1 to " + std::to_string(MAX_THREADS));
    std::vector<double> answers(jets.size() * names().size());
    model_->predict(jets, threads, answers.data());
    return answers;
}

const std::vector<std::string>& Tagger::names() const { return model_->card().names; }

const std::string& Tagger::digest() const { return model_->card().digest; }

}  // namespace jetgram
