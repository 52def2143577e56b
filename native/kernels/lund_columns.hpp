// What the Lund features of one tree are made of, column by column; lund.cpp says what they are. Arrays have room for a
// vector more than there are nodes.
#pragma once

#include "../coordinates.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

JETGRAM_INLINE Reals at_least(double least, const Reals& x) { return maximum(fill(least), x); }

// In [-pi, pi).
JETGRAM_INLINE Reals azimuth_difference(const Reals& phi, const Reals& other) {
    const Reals d = phi - other, half = fill(std::numbers::pi);
    return choose(less(d, half), choose(less(d, -half), d + two_pi, d), d - two_pi);
}

JETGRAM_INLINE Reals clipped(const Reals& x) {
    return minimum(fill(LundColumns::farthest), maximum(fill(-LundColumns::farthest), x));
}

// pT of all nodes, energies of leaves, masses of inner nodes.
static void fill_lund_momenta(const LundTree& tree, const LundColumns& out) {
    for (std::int64_t node = 0; node < tree.count; node += width) {
        const double* p = tree.momenta + 4 * node;
        const std::int64_t last = tree.count - 1 - node;
        const auto component = [&](int i) {
            return lanes_of([&](std::int64_t lane) { return p[4 * (lane < last ? lane : last) + i]; });
        };
        const Reals px = component(0), py = component(1), pz = component(2), energy = component(3);
        const Reals pt2 = px * px + py * py, mass2 = (energy + pz) * (energy - pz) - pt2;
        const Reals pt = square_root(pt2);
        store(out.pt2 + node, pt2);
        store(out.pt + node, pt);
        store(out.logarithms[0] + node, at_least(LundColumns::least_momentum, pt));
        store(out.logarithms[3] + node, at_least(LundColumns::least_momentum, energy));
        store(out.logarithms[5] + node, at_least(LundColumns::least_mass, square_root(maximum(mass2, Reals{}))));
    }
}

// What inner nodes say of their children.
static void fill_lund_branchings(const LundTree& tree, const LundColumns& out) {
    const Place* places = tree.places;
    for (std::int64_t node = tree.leaves; node < tree.count; node += width) {
        std::int32_t hard[width], soft[width];
        for (std::int64_t lane = 0; lane < width; ++lane) {
            const std::int64_t there = node + lane < tree.count ? node + lane : node;
            hard[lane] = tree.children[2 * there], soft[lane] = tree.children[2 * there + 1];
        }
        const Reals y = lanes_of([&](std::int64_t i) { return places[soft[i]].rapidity; }) -
                        lanes_of([&](std::int64_t i) { return places[hard[i]].rapidity; });
        const Reals phi = azimuth_difference(lanes_of([&](std::int64_t i) { return places[soft[i]].phi; }),
                                             lanes_of([&](std::int64_t i) { return places[hard[i]].phi; }));
        const Reals hard_pt = lanes_of([&](std::int64_t i) { return out.pt[hard[i]]; });
        const Reals soft_pt = lanes_of([&](std::int64_t i) { return out.pt[soft[i]]; });
        const Reals soft_pt2 = lanes_of([&](std::int64_t i) { return out.pt2[soft[i]]; });
        const Reals distance2 = y * y + phi * phi;
        const Reals opening = at_least(LundColumns::least_angle, square_root(distance2));
        const Reals sum = at_least(LundColumns::tiny, hard_pt + soft_pt);
        store(out.y + node, y);
        store(out.phi + node, phi);
        store(out.kt2 + node, soft_pt2 * distance2);
        store(out.logarithms[2] + node, opening);
        store(out.logarithms[3] + node, at_least(LundColumns::least_z, soft_pt / sum));
        store(out.logarithms[4] + node, at_least(LundColumns::least_ratio, soft_pt * opening));
    }
}

// Directions relative to the jet, turned; of leaves also how far they are from it.
static void fill_lund_directions(const LundTree& tree, double cos, double sin, const LundColumns& out) {
    const Place jet = tree.places[tree.count - 1];
    const double jet_pt = out.pt[tree.count - 1] < LundColumns::tiny ? LundColumns::tiny : out.pt[tree.count - 1];
    for (std::int64_t node = 0; node < tree.count; node += width) {
        const Place* places = tree.places + node;
        const std::int64_t last = tree.count - 1 - node;
        const Reals rapidity = lanes_of([&](std::int64_t i) { return places[i < last ? i : last].rapidity; });
        const Reals azimuth = lanes_of([&](std::int64_t i) { return places[i < last ? i : last].phi; });
        const Reals y = rapidity - jet.rapidity, phi = azimuth_difference(azimuth, fill(jet.phi));
        const Reals u = cos * y + sin * phi, v = cos * phi - sin * y, pt = load(out.pt + node);
        store(out.u + node, clipped(u));
        store(out.v + node, clipped(v));
        const Reals fraction = minimum(fill(LundColumns::most_ratio), pt / jet_pt);
        store(out.logarithms[1] + node, at_least(LundColumns::least_ratio, fraction));
        if (node >= tree.leaves) continue;
        const Reals distance = square_root(u * u + v * v);
        store(out.skew + node, pt * v * distance);
        const Choice is_leaf = less(first_indices(), fill(static_cast<double>(tree.leaves - node)));
        double* angles = out.logarithms[2] + node;
        store(angles, choose(is_leaf, at_least(LundColumns::least_angle, distance), load(angles)));
    }
}

}  // namespace jetgram::JETGRAM_PATH
