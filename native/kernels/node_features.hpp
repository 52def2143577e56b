// The seven features of the nodes of trees, but for E / E_jet.
#pragma once

#include "../features.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

inline constexpr double eta_max = 1e5;

JETGRAM_INLINE Reals component(const double* momenta, int i) {
    Reals values;
    for (std::int64_t lane = 0; lane < width; ++lane) values[lane] = momenta[4 * lane + i];
    return values;
}

// arsinh(pz / pT) = log(1 + (|pz| + |p| - pT) / pT) with the sign of pz; kinematics.ETA_MAX along the beam.
JETGRAM_INLINE Reals pseudorapidity(const Reals& pt, const Reals& pz, const Reals& momentum) {
    const Reals longitudinal = absolute(pz);
    const Reals along_beam = longitudinal > 0 ? fill(eta_max) : Reals{};
    const Reals sum = momentum + pt;
    const Reals rest = longitudinal * (longitudinal / (sum > 0 ? sum : fill(1)));  // |p| - pT, without cancellation
    const Reals ratio = (longitudinal + rest) / (pt > 0 ? pt : fill(1));
    return with_sign_of(pt > 0 ? logarithm1p(ratio) : along_beam, pz);
}

// As many nodes as there are lanes; E / E_jet is left out.
JETGRAM_INLINE void few_nodes(const double* momenta, double* features) {
    const Reals px = component(momenta, 0), py = component(momenta, 1), pz = component(momenta, 2);
    const Reals pt2 = px * px + py * py;
    const Reals pt = square_root(pt2);
    const Reals momentum = square_root(pt2 + pz * pz);
    const Reals eta = pseudorapidity(pt, pz, momentum);
    const Reals phi = arctangent2(py, px);
    const Reals theta = arctangent2(pt, pz);
    for (std::int64_t lane = 0; lane < width; ++lane) {
        double* out = features + FEATURES * lane;
        out[0] = momentum[lane], out[1] = eta[lane], out[2] = phi[lane];
        out[ENERGY_FEATURE] = momenta[4 * lane + 3];
        out[5] = pt[lane], out[6] = theta[lane];
    }
}

static void fill_features(const double* momenta, std::int64_t nodes, double* features) {
    std::int64_t node = 0;
    for (; node + width <= nodes; node += width) few_nodes(momenta + 4 * node, features + FEATURES * node);
    if (node == nodes) return;
    double padded_momenta[4 * width] = {}, padded_features[FEATURES * width];
    std::memcpy(padded_momenta, momenta + 4 * node, 4 * (nodes - node) * sizeof(double));
    few_nodes(padded_momenta, padded_features);
    std::memcpy(features + FEATURES * node, padded_features, FEATURES * (nodes - node) * sizeof(double));
}

}  // namespace jetgram::JETGRAM_PATH
