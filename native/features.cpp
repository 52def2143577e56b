#include "features.hpp"

#include <algorithm>

#include "threads.hpp"
#include "vector_math.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t columns = FEATURES;
constexpr std::int64_t energy_column = 3, fraction_column = 4;
constexpr std::int64_t jets_at_a_time = 64;
constexpr double eta_max = 1e5;

template <class V>
JETGRAM_INLINE V component(const double* momenta, int i) {
    V values;
    for (std::int64_t lane = 0; lane < width<V>; ++lane) values[lane] = momenta[4 * lane + i];
    return values;
}

// arsinh(pz / pT) = log(1 + (|pz| + |p| - pT) / pT) with the sign of pz; kinematics.ETA_MAX along the beam.
template <class V>
JETGRAM_INLINE V pseudorapidity(const V& pt, const V& pz, const V& momentum) {
    const V longitudinal = absolute(pz);
    const V along_beam = longitudinal > 0 ? fill<V>(eta_max) : V{};
    const V sum = momentum + pt;
    const V rest = longitudinal * (longitudinal / (sum > 0 ? sum : fill<V>(1)));  // |p| - pT, without cancellation
    const V ratio = (longitudinal + rest) / (pt > 0 ? pt : fill<V>(1));
    return with_sign_of(pt > 0 ? logarithm1p(ratio) : along_beam, pz);
}

// As many nodes as there are lanes; E / E_jet is left out.
template <class V>
JETGRAM_INLINE void few_nodes(const double* momenta, double* features) {
    const V px = component<V>(momenta, 0), py = component<V>(momenta, 1), pz = component<V>(momenta, 2);
    const V pt2 = px * px + py * py;
    const V pt = square_root(pt2);
    const V momentum = square_root(pt2 + pz * pz);
    const V eta = pseudorapidity(pt, pz, momentum);
    const V phi = arctangent2(py, px);
    const V theta = arctangent2(pt, pz);
    for (std::int64_t lane = 0; lane < width<V>; ++lane) {
        double* out = features + columns * lane;
        out[0] = momentum[lane], out[1] = eta[lane], out[2] = phi[lane];
        out[energy_column] = momenta[4 * lane + 3];
        out[5] = pt[lane], out[6] = theta[lane];
    }
}

template <class V>
JETGRAM_INLINE void all_nodes(const double* momenta, std::int64_t nodes, double* features) {
    std::int64_t node = 0;
    for (; node + width<V> <= nodes; node += width<V>) few_nodes<V>(momenta + 4 * node, features + columns * node);
    if (node == nodes) return;
    double padded_momenta[4 * width<V>] = {}, padded_features[columns * width<V>];
    std::copy(momenta + 4 * node, momenta + 4 * nodes, padded_momenta);
    few_nodes<V>(padded_momenta, padded_features);
    std::copy(padded_features, padded_features + columns * (nodes - node), features + columns * node);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void all_nodes_avx2(const double* momenta, std::int64_t nodes, double* features) {
    all_nodes<Four>(momenta, nodes, features);
}
#endif

void all_nodes_dispatched(const double* momenta, std::int64_t nodes, double* features) {
#if defined(__x86_64__)
    if (use_four_lanes()) return all_nodes_avx2(momenta, nodes, features);
#endif
    all_nodes<Two>(momenta, nodes, features);
}

void fill_fractions(std::int64_t begin, std::int64_t end, double* features) {
    const double jet_energy = features[columns * (end - 1) + energy_column];
    for (double* row = features + columns * begin; row < features + columns * end; row += columns)
        row[fraction_column] = row[energy_column] / jet_energy;
}

}  // namespace

void tree_features(const double* momenta, std::int64_t nodes, double* features) {
    all_nodes_dispatched(momenta, nodes, features);
    fill_fractions(0, nodes, features);
}

void node_features(const double* momenta, const std::int64_t* offsets, std::int64_t jets, int threads,
                   double* features) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        all_nodes_dispatched(momenta + 4 * offsets[begin], offsets[end] - offsets[begin],
                             features + columns * offsets[begin]);
        for (std::int64_t jet = begin; jet < end; ++jet) fill_fractions(offsets[jet], offsets[jet + 1], features);
    });
}

}  // namespace jetgram
