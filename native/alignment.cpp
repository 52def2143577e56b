#include "alignment.hpp"

#include <algorithm>
#include <cmath>

namespace jetgram {

namespace {

// What is smaller than this, relative to the energy, is rounding: no direction can be read off it.
constexpr double rounding = 1e-12;
constexpr double no_turn = 1e-9;  // sines below it turn nothing

// Angles and rapidity as cosines and sines, read off components: no trigonometry, so that every platform agrees.
struct Frame {
    double cos_phi = 1, sin_phi = 0;    // turn about z
    double cosh_y = 1, sinh_y = 0;      // boost along z
    double cos_alpha = 1, sin_alpha = 0;  // turn about x
    double sign = 1;                    // of pz

    void apply(double* p) const {
        const double x = cos_phi * p[0] + sin_phi * p[1];
        const double y = cos_phi * p[1] - sin_phi * p[0];
        const double z = cosh_y * p[2] - sinh_y * p[3];
        const double e = cosh_y * p[3] - sinh_y * p[2];
        p[0] = x;
        p[1] = cos_alpha * y + sin_alpha * z;
        p[2] = sign * (cos_alpha * z - sin_alpha * y);
        p[3] = e;
    }
};

// Whether a jet is in the frame already, but for the sign of pz and for rounding. Angles of exactly zero were not
// computed: somebody wrote them.
bool turns_nothing(const Frame& frame) {
    const double sines = std::max({std::abs(frame.sin_phi), std::abs(frame.sinh_y), std::abs(frame.sin_alpha)});
    return sines > 0 && sines < no_turn && frame.cos_phi > 0 && frame.cos_alpha > 0;
}

struct Subjets {
    double momentum[3][4] = {};
    std::int32_t count = 0;
};

Subjets leading_three(const double* momenta, const std::int32_t* labels, std::int64_t n) {
    Subjets subjets;
    for (std::int64_t i = 0; i < n; ++i) {
        subjets.count = std::max(subjets.count, labels[i] + 1);
        if (labels[i] >= 3) continue;
        for (int k = 0; k < 4; ++k) subjets.momentum[labels[i]][k] += momenta[4 * i + k];
    }
    return subjets;
}

void turn_about_z(Frame& frame, const double* p) {
    const double pt = std::sqrt(p[0] * p[0] + p[1] * p[1]);
    if (!(pt > 0)) return;
    frame.cos_phi = p[0] / pt;
    frame.sin_phi = p[1] / pt;
}

void boost_along_z(Frame& frame, const double* p) {
    const double mt2 = (p[3] + p[2]) * (p[3] - p[2]);
    if (!(mt2 > rounding * (p[3] * p[3]))) return;
    const double mt = std::sqrt(mt2);
    frame.cosh_y = p[3] / mt;
    frame.sinh_y = p[2] / mt;
}

void turn_about_x(Frame& frame, const double* first, const double* second) {
    const double dy = first[1] - second[1];
    const double dz = first[2] - second[2];
    const double size = std::sqrt(dy * dy + dz * dz);
    if (!(size > rounding * second[3])) return;
    frame.cos_alpha = dy / size;
    frame.sin_alpha = dz / size;
}

}  // namespace

bool align(double* momenta, const std::int32_t* labels, std::int64_t n) {
    Subjets subjets = leading_three(momenta, labels, n);
    auto& [first, second, third] = subjets.momentum;
    Frame frame;
    turn_about_z(frame, first);
    boost_along_z(frame, first);
    if (subjets.count > 1) {
        frame.apply(first);
        frame.apply(second);
        turn_about_x(frame, first, second);
    }
    if (subjets.count > 2) {
        frame.apply(third);
        if (third[2] < -rounding * third[3]) frame.sign = -1;
    }
    for (std::int64_t i = 0; i < n; ++i) frame.apply(momenta + 4 * i);
    return subjets.count > 1 && turns_nothing(frame);
}

}  // namespace jetgram
