// Points in the plane of rapidity and azimuth, and the distances between them.
#pragma once

#include "../coordinates.hpp"
#include "lanes.hpp"

namespace jetgram::JETGRAM_PATH {

struct Point {
    double rapidity, phi;
    double scale;  // the power of pT in d_ij
};

// Squared distance of a point from others, in numbers or in lanes.
template <class T>
JETGRAM_INLINE T distance2(const T& rapidity, const T& phi, Point p) {
    const T longitudinal = rapidity - p.rapidity;
    const T difference = absolute(phi - p.phi);
    const T transverse = minimum(difference, two_pi - difference);
    return transverse * transverse + longitudinal * longitudinal;
}

}  // namespace jetgram::JETGRAM_PATH
