// Rapidity and azimuth of a momentum (px, py, pz, E), with FastJet's formulas and rounding: the twin of
// kinematics.rapidity, and finite for every momentum that validity.py lets pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "inlining.hpp"

// Signs are chosen by arithmetic: of jets around an axis every other one is negative, and a processor that guesses
// branches would guess wrong every other time.
namespace jetgram {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr double rapidity_max = 1e5;  // along the beam; |pz| is added, so that different momenta stay apart

JETGRAM_INLINE double pt2_of(const double* p) { return p[0] * p[0] + p[1] * p[1]; }

JETGRAM_INLINE double rapidity_of(const double* p, double pt2) {
    const double longitudinal = std::abs(p[2]);
    const double mass2 = std::max(0.0, (p[3] + p[2]) * (p[3] - p[2]) - pt2);
    const double light_cone = p[3] + longitudinal;
    const double ratio = (pt2 + mass2) / (light_cone * light_cone);
    double size = 0;
    if (ratio > 0 && ratio < std::numeric_limits<double>::infinity())
        size = -0.5 * std::log(ratio);
    else if (longitudinal > 0)
        size = rapidity_max + longitudinal;
    return size * (2.0 * (p[2] > 0) - 1.0);
}

// In [0, 2 pi); 0 along the beam.
JETGRAM_INLINE double azimuth_of(const double* p, double pt2) {
    if (pt2 == 0) return 0;
    const double phi = std::atan2(p[1], p[0]);
    const double positive = phi + two_pi * (phi < 0);
    return positive >= two_pi ? positive - two_pi : positive;
}

// Of a momentum, in the plane of rapidity and azimuth.
struct Place {
    double rapidity, phi;
};

JETGRAM_INLINE Place place_of(const double* p, double pt2) { return {rapidity_of(p, pt2), azimuth_of(p, pt2)}; }

}  // namespace jetgram
