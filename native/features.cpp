#include "features.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "cpu.hpp"
#include "threads.hpp"
#include "vector_math.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

constexpr std::int64_t columns = 7;  // |p|, eta, phi, E, E / E_jet, pT, theta
constexpr std::int64_t energy_column = 3, fraction_column = 4;
constexpr std::int64_t jets_at_a_time = 64;
constexpr double eta_max = 1e5;

JETGRAM_INLINE Lanes square_root(const Lanes& x) {
    return Lanes{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}

JETGRAM_INLINE Lanes component(const double* momenta, int i) {
    return Lanes{momenta[i], momenta[4 + i], momenta[8 + i], momenta[12 + i]};
}

// arsinh(pz / pT) = log(1 + (|pz| + |p| - pT) / pT) with the sign of pz; kinematics.ETA_MAX along the beam.
JETGRAM_INLINE Lanes pseudorapidity(const Lanes& pt, const Lanes& pz, const Lanes& momentum) {
    const Lanes longitudinal = absolute(pz);
    const Lanes along_beam = longitudinal > 0 ? Lanes{} + eta_max : Lanes{};
    const Lanes sum = momentum + pt;
    const Lanes rest = longitudinal * (longitudinal / (sum > 0 ? sum : Lanes{} + 1));  // |p| - pT, without cancellation
    const Lanes ratio = (longitudinal + rest) / (pt > 0 ? pt : Lanes{} + 1);
    return with_sign_of(pt > 0 ? logarithm1p(ratio) : along_beam, pz);
}

// Four nodes at once; E / E_jet is left out.
JETGRAM_INLINE void four_nodes(const double* momenta, double* features) {
    const Lanes px = component(momenta, 0), py = component(momenta, 1), pz = component(momenta, 2);
    const Lanes pt2 = px * px + py * py;
    const Lanes pt = square_root(pt2);
    const Lanes momentum = square_root(pt2 + pz * pz);
    const Lanes eta = pseudorapidity(pt, pz, momentum);
    const Lanes phi = arctangent2(py, px);
    const Lanes theta = arctangent2(pt, pz);
    for (int lane = 0; lane < lane_count; ++lane) {
        double* out = features + columns * lane;
        out[0] = momentum[lane], out[1] = eta[lane], out[2] = phi[lane];
        out[energy_column] = momenta[4 * lane + 3];
        out[5] = pt[lane], out[6] = theta[lane];
    }
}

JETGRAM_INLINE void fill(const double* momenta, std::int64_t nodes, double* features) {
    std::int64_t node = 0;
    for (; node + lane_count <= nodes; node += lane_count) four_nodes(momenta + 4 * node, features + columns * node);
    if (node == nodes) return;
    double padded_momenta[4 * lane_count] = {}, padded_features[columns * lane_count];
    std::copy(momenta + 4 * node, momenta + 4 * nodes, padded_momenta);
    four_nodes(padded_momenta, padded_features);
    std::copy(padded_features, padded_features + columns * (nodes - node), features + columns * node);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fill_avx2(const double* momenta, std::int64_t nodes, double* features) {
    fill(momenta, nodes, features);
}
#endif

void fill_portable(const double* momenta, std::int64_t nodes, double* features) { fill(momenta, nodes, features); }

void fill_dispatched(const double* momenta, std::int64_t nodes, double* features) {
#if defined(__x86_64__)
    static const bool avx2 = std::string_view(cpu_path()) == "avx2";
    if (avx2) return fill_avx2(momenta, nodes, features);
#endif
    fill_portable(momenta, nodes, features);
}

void fill_fractions(std::int64_t begin, std::int64_t end, double* features) {
    const double jet_energy = features[columns * (end - 1) + energy_column];
    for (double* row = features + columns * begin; row < features + columns * end; row += columns)
        row[fraction_column] = row[energy_column] / jet_energy;
}

using Momenta = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Features = nb::ndarray<double, nb::shape<-1, columns>, nb::c_contig, nb::device::cpu>;

void node_features(const Momenta& momenta, const Offsets& offsets, int threads, Features features) {
    if (features.shape(0) != momenta.shape(0)) throw std::invalid_argument("the output has a wrong length");
    const std::int64_t* first = offsets.data();
    const auto jets = static_cast<std::int64_t>(offsets.shape(0)) - 1;
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        fill_dispatched(momenta.data() + 4 * first[begin], first[end] - first[begin],
                        features.data() + columns * first[begin]);
        for (std::int64_t jet = begin; jet < end; ++jet) fill_fractions(first[jet], first[jet + 1], features.data());
    });
}

}  // namespace

void bind_features(nb::module_& m) {
    m.def("node_features", &node_features, nb::arg("momenta"), nb::arg("offsets"), nb::arg("threads"),
          nb::arg("features"), nb::call_guard<nb::gil_scoped_release>(), "Fill the features (nodes, 7) of trees.");
}

}  // namespace jetgram
