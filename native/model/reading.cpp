#include "reading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "../checks.hpp"
#include "../cleaning.hpp"
#include "../features.hpp"
#include "../lund.hpp"
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

[[noreturn]] void bad_jet(std::int64_t jet, const std::string& what) {
    throw BadJetError("jet " + std::to_string(jet) + what);
}

}  // namespace

JetReader::JetReader(const Card& card)
    : card_(card),
      center_(card.scaler.center.begin(), card.scaler.center.end()),
      scale_(card.scaler.scale.begin(), card.scaler.scale.end()),
      limit_(card.scaler.limit.begin(), card.scaler.limit.end()),
      classes_are_read_(card.features == FeatureSet::paper_and_classes),
      computed_(card.features == FeatureSet::lund ? LUND_FEATURES : FEATURES) {
    for (const std::string& topology : card.topologies)
        views_.push_back({tree_builder(topology, card.tree_seed), {}, {}});
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
    for (std::size_t topology = 0; topology < views_.size(); ++topology) forests_.push_back(schedule(topology, first));
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

void JetReader::keep_hard(double fraction) {
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    min_pt_.clear();
    for (std::int64_t jet = 0; jet < jets; ++jet) {
        double total[2] = {};
        for (std::int64_t i = offsets_[jet]; i < offsets_[jet + 1]; ++i)
            for (int axis = 0; axis < 2; ++axis) total[axis] += momenta_[4 * i + axis];
        min_pt_.push_back(fraction * std::sqrt(pt2_of(total)));
    }
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

engine::Forest JetReader::schedule(std::size_t topology, std::int64_t first) {
    View& view = views_[topology];
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1, rows = node_offsets_.back();
    const int columns = static_cast<int>(center_.size());
    nodes_.resize(4 * rows);
    children_.resize(2 * rows);
    order_.resize(rows);
    view.inner.resize(rows);
    view.features.resize(columns * rows);
    trees_.clear();
    for (std::int64_t jet = 0; jet < jets; ++jet) {
        const std::int64_t row = node_offsets_[jet];
        trees_.emplace_back(nodes_.data() + 4 * row, children_.data() + 2 * row, momenta_.data() + 4 * offsets_[jet],
                            offsets_[jet + 1] - offsets_[jet]);
    }
    view.build(trees_);
    fill_features(topology);
    engine::breadth_first(children_.data(), node_offsets_.data(), jets, 1, order_.data(), view.inner.data());
    for (std::int64_t jet = 0; jet < jets; ++jet)
        for (std::int64_t row = node_offsets_[jet]; row < node_offsets_[jet + 1]; ++row)
            if (!fill_row(jet, order_[row], view.features.data() + columns * row))
                bad_jet(first + jet, ": its momenta are too large for single precision: " +
                                         text_of(nodes_.data() + 4 * order_[row]));
    return {view.features.data(), view.inner.data(), node_offsets_.data(), jets, rows, columns};
}

void JetReader::fill_features(std::size_t topology) {
    const auto jets = static_cast<std::int64_t>(offsets_.size()) - 1;
    features_.resize(computed_ * node_offsets_.back());
    if (card_.features == FeatureSet::lund)
        lund_features(nodes_.data(), children_.data(), node_offsets_.data(), jets, 1, features_.data());
    else
        node_features(nodes_.data(), node_offsets_.data(), jets, 1, features_.data());
}

// The scaled features of a node; false where they are too large for single precision.
bool JetReader::fill_row(std::int64_t jet, std::int64_t node, float* row) const {
    const auto scaled = [&](std::int64_t column, float value) {
        const float x = (value - center_[column]) / scale_[column], limit = limit_[column];
        if (std::isinf(limit)) return x;
        return std::isnan(x) ? 0.0f : std::clamp(x, -limit, limit);  // NaN is a feature that a node does not have
    };
    bool finite = true;
    for (std::int64_t i = 0; i < computed_; ++i) {
        const auto value = static_cast<float>(features_[computed_ * node + i]);
        finite &= !std::isinf(value);
        row[i] = scaled(i, value);
    }
    if (!classes_are_read_) return finite;
    const std::int64_t place = node - node_offsets_[jet], leaves = offsets_[jet + 1] - offsets_[jet];
    const int own_class = place < leaves ? classes_[offsets_[jet] + place] : -1;
    for (int i = 0; i < class_count; ++i) row[computed_ + i] = scaled(computed_ + i, i == own_class ? 1.0f : 0.0f);
    return finite;
}

}  // namespace jetgram
