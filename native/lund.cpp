#include "lund.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "checks.hpp"
#include "threads.hpp"
#include "kernels/kernels.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;

// trees/lund.py says what these are.
constexpr double least_angle = 1e-3, least_mass = 1e-2, least_z = 1e-5, least_momentum = 1e-3, least_ratio = 1e-6;
constexpr double farthest = 2.0;
constexpr double tiny = std::numeric_limits<double>::min();

double clipped(double x) { return std::min(farthest, std::max(-farthest, x)); }

double length(double x, double y) { return std::sqrt(x * x + y * y); }

// In [-pi, pi).
double difference(double phi, double other) {
    const double d = phi - other;
    if (d >= std::numbers::pi) return d - two_pi;
    return d < -std::numbers::pi ? d + two_pi : d;
}

double mass_of(const double* p) {
    const double mass2 = (p[3] + p[2]) * (p[3] - p[2]) - pt2_of(p);
    return mass2 > 0 ? std::sqrt(mass2) : 0;
}

// Leaves come first and have no children; those of inner nodes come before them.
void expect_children(const Nodes& nodes, std::int64_t jet) {
    const std::int64_t leaves = nodes.leaves();
    for (std::int64_t node = 0; node < nodes.count; ++node)
        for (int side = 0; side < 2; ++side) {
            const std::int32_t child = nodes.children[2 * node + side];
            if (node < leaves ? child != -1 : child < 0 || child >= node)
                refuse("child of node " + std::to_string(node) + " of tree " + std::to_string(jet),
                       std::to_string(child), node < leaves ? "-1" : "a node before it");
        }
}

}  // namespace

void LundFeatures::compute(const Nodes& nodes, const Place* places) {
    find_axis(nodes, places);
    turn(nodes, places);
    collect(nodes, places);
    kernels().take_logarithms(logarithms_.data(), logarithms_per_node * nodes.count);
    for (Direction& d : directions_) d.u = clipped(d.u), d.v = clipped(d.v);
}

void LundFeatures::find_axis(const Nodes& nodes, const Place* places) {
    cos_ = 1, sin_ = 0;
    double hardest = 0;  // kT^2
    double along = 0, across = 0;
    for (std::int64_t node = nodes.leaves(); node < nodes.count; ++node) {
        const std::int32_t* pair = nodes.children + 2 * node;
        const Place &hard = places[pair[0]], &soft = places[pair[1]];
        const double y = soft.rapidity - hard.rapidity, phi = difference(soft.phi, hard.phi);
        const double kt2 = pt2_of(nodes.momenta + 4 * pair[1]) * (y * y + phi * phi);
        if (kt2 >= hardest) hardest = kt2, along = y, across = phi;
    }
    const double distance = length(along, across);
    if (distance > 0) cos_ = along / distance, sin_ = across / distance;
}

// Directions relative to the jet, turned and reflected.
void LundFeatures::turn(const Nodes& nodes, const Place* places) {
    directions_.resize(nodes.count);
    const Place jet = places[nodes.count - 1];
    double skew = 0;
    for (std::int64_t node = 0; node < nodes.count; ++node) {
        const double y = places[node].rapidity - jet.rapidity, phi = difference(places[node].phi, jet.phi);
        directions_[node] = {std::sqrt(pt2_of(nodes.momenta + 4 * node)), cos_ * y + sin_ * phi,
                             cos_ * phi - sin_ * y};
    }
    for (std::int64_t node = 0; node < nodes.leaves(); ++node) {
        const Direction& d = directions_[node];
        skew += d.pt * d.v * length(d.u, d.v);
    }
    if (skew < 0)
        for (Direction& d : directions_) d.v = -d.v;
}

// What logarithms are taken of.
void LundFeatures::collect(const Nodes& nodes, const Place* places) {
    logarithms_.resize(whole_vectors(logarithms_per_node * nodes.count));
    std::fill(logarithms_.begin() + logarithms_per_node * nodes.count, logarithms_.end(), 1.0);
    const double jet_pt = std::max(directions_.back().pt, tiny);
    for (std::int64_t node = 0; node < nodes.count; ++node) {
        double* out = logarithms_.data() + logarithms_per_node * node;
        out[0] = std::max(directions_[node].pt, least_momentum);
        out[1] = std::max(directions_[node].pt / jet_pt, least_ratio);
    }
    for (std::int64_t node = 0; node < nodes.leaves(); ++node) {
        double* out = logarithms_.data() + logarithms_per_node * node;
        out[2] = std::max(length(directions_[node].u, directions_[node].v), least_angle);
        out[3] = std::max(nodes.momenta[4 * node + 3], least_momentum);
        out[4] = out[5] = 1.0;
    }
    for (std::int64_t node = nodes.leaves(); node < nodes.count; ++node) {
        double* out = logarithms_.data() + logarithms_per_node * node;
        const std::int32_t* pair = nodes.children + 2 * node;
        const Place &left = places[pair[0]], &right = places[pair[1]];
        const double left_pt = directions_[pair[0]].pt, right_pt = directions_[pair[1]].pt;
        const double opening =
            std::max(length(left.rapidity - right.rapidity, difference(left.phi, right.phi)), least_angle);
        out[2] = opening;
        out[3] = std::max(right_pt / std::max(left_pt + right_pt, tiny), least_z);
        out[4] = std::max(right_pt * opening, least_ratio);
        out[5] = std::max(mass_of(nodes.momenta + 4 * node), least_mass);
    }
}

void lund_features(const double* momenta, const std::int32_t* children, const std::int64_t* offsets, std::int64_t jets,
                   int threads, double* features) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        expect_components(momenta, offsets[begin], offsets[end]);
        LundFeatures lund;
        std::vector<Place> places;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t first = offsets[jet];
            const Nodes nodes{momenta + 4 * first, children + 2 * first, offsets[jet + 1] - first};
            if (nodes.count % 2 == 0) refuse("nodes of tree " + std::to_string(jet), "an even number", "an odd one");
            expect_children(nodes, jet);
            places.resize(nodes.count);
            kernels().fill_places(nodes.momenta, nodes.count, places.data());
            lund.compute(nodes, places.data());
            lund.write(features + LUND_FEATURES * first);
        }
    });
}

}  // namespace jetgram
