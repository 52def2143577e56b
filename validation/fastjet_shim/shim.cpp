// The thinnest way to FastJet's clustering history: many jets in, one ClusterSequence each, parents and momenta out.
//
// Compiled against the headers and the library of the fastjet wheel by __init__.py; called through ctypes.
#include <cstdint>
#include <vector>

#include "fastjet/ClusterSequence.hh"

namespace {

constexpr double infinite_radius = 100.0;

// Clusters one jet. Returns the number of merges: one less than the particles, unless FastJet left several jets.
std::int64_t cluster(const fastjet::JetDefinition& definition, const double* p4, std::int64_t n, double* momenta,
                     std::int32_t* parents) {
    std::vector<fastjet::PseudoJet> particles;
    particles.reserve(n);
    for (std::int64_t i = 0; i < n; ++i)
        particles.emplace_back(p4[4 * i], p4[4 * i + 1], p4[4 * i + 2], p4[4 * i + 3]);
    const fastjet::ClusterSequence sequence(particles, definition);
    std::int64_t node = 0;
    for (const auto& step : sequence.history()) {
        if (step.parent2 == fastjet::ClusterSequence::BeamJet) continue;
        const auto& jet = sequence.jets()[step.jetp_index];
        double* out = momenta + 4 * node;
        out[0] = jet.px(), out[1] = jet.py(), out[2] = jet.pz(), out[3] = jet.E();
        const bool leaf = step.parent1 == fastjet::ClusterSequence::InexistentParent;
        parents[2 * node] = leaf ? -1 : step.parent1;
        parents[2 * node + 1] = leaf ? -1 : step.parent2;
        ++node;
    }
    return node - n;
}

}  // namespace

// power: 1 kt, 0 Cambridge/Aachen, -1 anti-kt; plain: the N^2 strategy instead of the one FastJet thinks fastest. Jet j's
// nodes start at 2 * offsets[j] - j; joined[j] tells whether FastJet made one tree of it.
extern "C" void fastjet_histories(const double* p4, const std::int64_t* offsets, std::int64_t jets, int power, int plain,
                                  double* momenta, std::int32_t* parents, bool* joined) {
    fastjet::ClusterSequence::set_fastjet_banner_stream(nullptr);
    const auto algorithm = power > 0    ? fastjet::kt_algorithm
                           : power == 0 ? fastjet::cambridge_algorithm
                                        : fastjet::antikt_algorithm;
    const fastjet::JetDefinition definition(algorithm, infinite_radius, fastjet::E_scheme,
                                            plain ? fastjet::N2Plain : fastjet::Best);
    for (std::int64_t j = 0; j < jets; ++j) {
        const std::int64_t n = offsets[j + 1] - offsets[j];
        const std::int64_t first = 2 * offsets[j] - j;
        joined[j] = cluster(definition, p4 + 4 * offsets[j], n, momenta + 4 * first, parents + 2 * first) == n - 1;
    }
}
