#include "reading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "../checks.hpp"
#include "../cleaning.hpp"
#include "../preprocess.hpp"
#include "../validity.hpp"
#include "python_text.hpp"

namespace jetgram {

namespace {

constexpr double subjet_radius = 0.3;
constexpr double least_pt = 0.1, least_distance = 1e-3;  // of clean jets: GeV; rapidity and azimuth
constexpr int class_count = 4;

std::string text_of(const double* p) {
    const auto text = [](double x) { return std::isfinite(x) ? python_float(x) : std::to_string(x); };
    return "(px, py, pz, E) = (" + text(p[0]) + ", " + text(p[1]) + ", " + text(p[2]) + ", " + text(p[3]) + ")";
}

ColumnScaling scaling_of(const Scaler& scaler) {
    const auto single = [](const std::vector<double>& numbers) {
        return std::vector<float>(numbers.begin(), numbers.end());
    };
    return ColumnScaling(static_cast<std::int64_t>(scaler.center.size()), single(scaler.center).data(),
                         single(scaler.scale).data(), single(scaler.limit).data());
}

[[noreturn]] void bad_jet(std::int64_t jet, const std::string& what) {
    throw BadJetError("jet " + std::to_string(jet) + what);
}

}  // namespace

JetReader::JetReader(const Card& card)
    : card_(card),
      scaling_(scaling_of(card.scaler)),
      classes_are_read_(card.features == FeatureSet::paper_and_classes),
      columns_(static_cast<std::int64_t>(card.scaler.center.size())),
      computed_(classes_are_read_ ? columns_ - class_count : columns_) {
    const NodeFeatures features = card.features == FeatureSet::lund ? NodeFeatures::lund : NodeFeatures::paper;
    for (const std::string& topology : card.topologies)
        views_.push_back({TreeRows(topology, card.tree_seed, features, classes_are_read_ ? nullptr : &scaling_), {}, {}});
}

std::span<const engine::Forest> JetReader::read(std::span<const Jet> jets, std::int64_t first) {
    gather(jets, first);
    require_physical(first);
    if (card_.preprocess || card_.trim) trim_or_align();
    if (card_.features == FeatureSet::lund) merge_close();
    require_physical(first);
    node_offsets_.clear();
    for (std::size_t jet = 0; jet < offsets_.size(); ++jet)
        node_offsets_.push_back(first_node(offsets_[jet], static_cast<std::int64_t>(jet)));
    forests_.clear();
    for (View& view : views_) forests_.push_back(schedule(view, first));
    return forests_;
}

void JetReader::gather(std::span<const Jet> jets, std::int64_t first) {
    momenta_.clear();
    classes_.clear();
    offsets_.assign(1, 0);
    for (std::size_t jet = 0; jet < jets.size(); ++jet) {
        const auto& [constituents, classes] = jets[jet];
        const auto number = first + static_cast<std::int64_t>(jet);
        if (constituents.empty()) bad_jet(number, " is empty");
        if (constituents.size() > static_cast<std::size_t>(MAX_LEAVES)) bad_jet(number, " has too many constituents");
        for (const FourMomentum& p : constituents) momenta_.insert(momenta_.end(), {p.px, p.py, p.pz, p.E});
        offsets_.push_back(static_cast<std::int64_t>(momenta_.size() / 4));
        if (!classes_are_read_) continue;
        if (classes.size() != constituents.size())
            bad_jet(number, ": this model reads the class of particles; found " + std::to_string(classes.size()) +
                                " classes of " + std::to_string(constituents.size()) + " constituents");
        for (const int one : classes)
            if (one < 0 || one >= class_count)
                bad_jet(number, ": a particle has the class " + std::to_string(one) + "; expected one from 0 to 3");
        classes_.insert(classes_.end(), classes.begin(), classes.end());
    }
}

void JetReader::require_physical(std::int64_t first) const {
    for (std::size_t jet = 0; jet + 1 < offsets_.size(); ++jet)
        for (std::int64_t i = offsets_[jet]; i < offsets_[jet + 1]; ++i)
            if (const double* p = momenta_.data() + 4 * i; !is_physical(p))
                bad_jet(first + static_cast<std::int64_t>(jet), ", particle " + std::to_string(i - offsets_[jet]) +
                                                                    ": " + fault_of(p) + " in " + text_of(p));
}

// As `preprocess` and `trim` of jetgram.jets do.
void JetReader::trim_or_align() {
    constexpr double any = std::numeric_limits<double>::infinity();
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    if (card_.preprocess) settle_energies(momenta_.data(), offsets_.back(), SINGLE_PRECISION, ROUNDING);
    labels_.resize(offsets_.back());
    find_subjets(momenta_.data(), offsets_.data(), jets, subjet_radius, 1, labels_.data());
    if (card_.trim) keep_hard(*card_.trim);
    if (!card_.preprocess) return;
    align_jets(momenta_.data(), offsets_.data(), jets, labels_.data(), 1);
    // Without what rounding and a boost can make of E and |p|.
    settle_energies(momenta_.data(), offsets_.back(), ROUNDING, any);
}

std::array<double, 4> JetReader::total(std::int64_t jet) const {
    std::array<double, 4> sum{};
    for (std::int64_t i = offsets_[jet]; i < offsets_[jet + 1]; ++i)
        for (int k = 0; k < 4; ++k) sum[k] += momenta_[4 * i + k];
    return sum;
}

void JetReader::keep_hard(double fraction) {
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    min_pt_.clear();
    for (std::int64_t jet = 0; jet < jets; ++jet) min_pt_.push_back(fraction * std::sqrt(pt2_of(total(jet).data())));
    kept_.resize(offsets_.back());
    keep_hard_subjets(momenta_.data(), offsets_.data(), jets, labels_.data(), min_pt_.data(), 1, kept_.data());
    compress([&](std::int64_t i) { return kept_[i] != 0; });
}

// As `clean` of jetgram.jets does.
void JetReader::merge_close() {
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    sums_.resize(momenta_.size());
    hardest_.resize(offsets_.back());
    clean(momenta_.data(), offsets_.data(), jets, least_pt, least_distance, 1, sums_.data(), hardest_.data());
    momenta_.swap(sums_);
    compress([&](std::int64_t i) { return hardest_[i] >= 0; });
}

// Leaves out the constituents that are not kept.
template <class Kept>
void JetReader::compress(Kept&& kept) {
    std::int64_t to = 0, from = 0;
    for (std::size_t jet = 1; jet < offsets_.size(); ++jet) {
        for (; from < offsets_[jet]; ++from) {
            if (!kept(from)) continue;
            std::copy_n(momenta_.begin() + 4 * from, 4, momenta_.begin() + 4 * to);
            if (!labels_.empty()) labels_[to] = labels_[from];
            if (classes_are_read_) classes_[to] = classes_[from];
            ++to;
        }
        offsets_[jet] = to;
    }
    momenta_.resize(4 * to);
}

engine::Forest JetReader::schedule(View& view, std::int64_t first) {
    const std::int64_t rows = node_offsets_.back();
    view.features.resize(columns_ * rows);
    view.inner.resize(rows);
    if (const std::int64_t jet = fill(view); jet >= 0)
        bad_jet(first + jet, ": its momenta are too large for single precision: " + text_of(total(jet).data()));
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    return {view.features.data(), view.inner.data(), node_offsets_.data(), jets, rows, static_cast<int>(columns_)};
}

// Returns the first jet that is too large for single precision, or -1.
std::int64_t JetReader::fill(View& view) {
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    if (!classes_are_read_)
        return view.trees.fill(momenta_.data(), offsets_.data(), 0, jets, view.features.data(), view.inner.data());
    rows_.resize(computed_ * node_offsets_.back());
    nodes_.resize(node_offsets_.back());
    const std::int64_t too_large = view.trees.fill(momenta_.data(), offsets_.data(), 0, jets, rows_.data(),
                                                   view.inner.data(), nodes_.data());
    join_classes(view.features.data());
    return too_large;
}

// Scaled rows: what comes from the momenta, then 1 for the class of a leaf, 0 for others.
void JetReader::join_classes(float* rows) {
    for (std::size_t jet = 0; jet + 1 < offsets_.size(); ++jet) {
        const std::int64_t leaves = offsets_[jet + 1] - offsets_[jet];
        for (std::int64_t row = node_offsets_[jet]; row < node_offsets_[jet + 1]; ++row) {
            float* own = rows + columns_ * row;
            std::copy_n(rows_.data() + computed_ * row, computed_, own);
            std::fill_n(own + computed_, class_count, 0.0f);
            if (nodes_[row] < leaves) own[computed_ + classes_[offsets_[jet] + nodes_[row]]] = 1.0f;
        }
    }
    scaling_.apply(rows, node_offsets_.back());
}

}  // namespace jetgram
