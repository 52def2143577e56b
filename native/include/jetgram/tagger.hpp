// Scores of jets in C++, from their constituents and a model that Python trained and saved. No Python, no PyTorch.
//
//     const jetgram::Tagger tagger("models/simple-kt");
//     const std::vector<jetgram::FourMomentum> jet = ...;
//     const double probability = tagger.score(jet);
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__GNUC__)
#define JETGRAM_PUBLIC __attribute__((visibility("default")))
#else
#define JETGRAM_PUBLIC
#endif

namespace jetgram {

// Whatever the library throws on purpose is one of these.
class JETGRAM_PUBLIC Error : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

// A model that is missing, damaged or edited, of a newer format, or not for this library.
class JETGRAM_PUBLIC ModelError : public Error {
   public:
    using Error::Error;
};

// An unphysical jet: without constituents, or with a momentum that is not finite or has E < |p|; or one so far from
// those of the training that the network overflows.
class JETGRAM_PUBLIC BadJetError : public Error {
   public:
    using Error::Error;
};

// In GeV, with the beam along z.
struct FourMomentum {
    double px, py, pz, E;
};

// A jet as it was found: its constituents in any order. They are only looked at: keep them until the call returns.
struct Jet {
    std::span<const FourMomentum> constituents;
    // Of each constituent 0 (charged hadron +), 1 (charged hadron -), 2 (photon) or 3 (neutral hadron). Only for models
    // of such classes, `features = paper+pclass`; others do not look at them.
    std::span<const int> classes = {};
};

// A trained model of jets. All functions are const, and any number of threads may call them at the same time.
class JETGRAM_PUBLIC Tagger {
   public:
    // From a model folder, which holds model.json and model.safetensors. Both are read and checked here, once.
    explicit Tagger(const std::filesystem::path& folder);
    ~Tagger();
    Tagger(Tagger&&) noexcept;
    Tagger& operator=(Tagger&&) noexcept;

    // Of a classifier, the probability of signal; of a regressor, its number. A model with several outputs per jet has
    // no score, but `outputs`.
    double score(std::span<const FourMomentum> constituents) const;
    double score(const Jet& jet) const;
    // The scores of many jets, in less time than one by one. The jets are shared over so many threads, the calling one
    // included; the result is bit-identical for any number of them.
    std::vector<double> score(std::span<const Jet> jets, int threads = 1) const;

    // All outputs of each jet, one jet after the other: `names().size()` numbers per jet. Of a classifier of several
    // classes, the probability of each.
    std::vector<double> outputs(std::span<const Jet> jets, int threads = 1) const;

    // What the outputs are called: `score`, or the classes, or the targets of a regressor.
    const std::vector<std::string>& names() const;
    // The model's digest, by which Python knows it.
    const std::string& digest() const;

   private:
    class Model;
    std::unique_ptr<const Model> model_;
};

}  // namespace jetgram
