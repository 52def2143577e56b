#include "subjets.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "cpu.hpp"
#include "plane.hpp"

namespace jetgram {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t beam = -1;   // no neighbour within the radius
constexpr std::int64_t stale = -2;  // the neighbour is gone, the next one not yet known

using Momentum = std::array<double, 4>;

Point point_of(const Momentum& p) {
    const double pt2 = pt2_of(p.data());
    return {rapidity_of(p.data(), pt2), azimuth_of(p.data(), pt2), pt2};
}

// The slots as bare pointers: the loops below keep them in registers.
// Empty slots lie at infinite rapidity: out of everybody's reach, and never taken.
struct Slots {
    double* rapidity;
    double* phi;
    double* pt2;
    double* distance;  // squared, to the neighbour; the squared radius if there is none
    double* dij;       // times the squared radius
    std::int64_t* neighbour;
    Momentum* momentum;
    std::int32_t* first;  // of the chain of constituents
    std::int32_t* last;
    std::int32_t* next;  // of each constituent in its chain
    double radius2;
    std::int64_t used;
};

JETGRAM_INLINE void hide(const Slots& s, std::int64_t slot) {
    s.rapidity[slot] = s.distance[slot] = s.dij[slot] = infinity;
    s.neighbour[slot] = beam;
}

JETGRAM_INLINE Lanes distances(const Slots& s, std::int64_t first, const Point& p) {
    return distance2(load(s.rapidity + first), load(s.phi + first), p);
}

// Offers a point that will live in `slot` to all others as their neighbour, and finds its own.
JETGRAM_INLINE Smallest link(const Slots& s, const Point& p, std::int64_t slot) {
    SmallestSoFar nearest;
    for (std::int64_t i = 0; i < s.used; i += lane_count) {
        const Lanes distance = distances(s, i, p);
        const Lanes before = load(s.distance + i);
        const Indices nearer = distance < before;
        store(s.distance + i, nearer ? distance : before);
        store(s.neighbour + i, nearer ? Indices{} + slot : load(s.neighbour + i));
        store(s.dij + i, nearer ? distance * minimum(load(s.pt2 + i), Lanes{} + p.scale) : load(s.dij + i));
        nearest.take(distance, i);
    }
    return nearest.result();
}

JETGRAM_INLINE void place(const Slots& s, std::int64_t slot, const Point& p, const Smallest& nearest) {
    const bool within = nearest.value < s.radius2;
    s.rapidity[slot] = p.rapidity;
    s.phi[slot] = p.phi;
    s.pt2[slot] = p.scale;
    s.distance[slot] = within ? nearest.value : s.radius2;
    s.neighbour[slot] = within ? nearest.index : beam;
    s.dij[slot] = s.distance[slot] * (within ? std::min(p.scale, s.pt2[nearest.index]) : p.scale);
}

JETGRAM_INLINE std::int64_t smallest_dij(const Slots& s) {
    SmallestSoFar smallest;
    for (std::int64_t i = 0; i < s.used; i += lane_count) smallest.take(load(s.dij + i), i);
    return smallest.result().index;
}

JETGRAM_INLINE void find_neighbour(const Slots& s, std::int64_t slot) {
    const Point p{s.rapidity[slot], s.phi[slot], s.pt2[slot]};
    const bool coincided = s.distance[slot] == 0;  // with the neighbour it lost: likely with others too
    s.rapidity[slot] = infinity;                   // out of its own sight
    SmallestSoFar nearest;
    for (std::int64_t i = 0; i < s.used; i += lane_count) {
        nearest.take(distances(s, i, p), i);
        if (coincided && nearest.result().value == 0) break;
    }
    place(s, slot, p, nearest.result());
}

// Moves the last momentum into `slot`. Whose neighbour was `slot` or `low` needs another one: are there any?
JETGRAM_INLINE bool vacate(Slots& s, std::int64_t slot, std::int64_t low) {
    const std::int64_t last = --s.used;
    for (double* column : {s.rapidity, s.phi, s.pt2, s.distance, s.dij}) column[slot] = column[last];
    for (std::int32_t* column : {s.first, s.last}) column[slot] = column[last];
    s.neighbour[slot] = s.neighbour[last];
    s.momentum[slot] = s.momentum[last];
    hide(s, last);
    Indices any{};
    for (std::int64_t i = 0; i < s.used; i += lane_count) {
        const Indices neighbour = load(s.neighbour + i);
        const Indices lost = (neighbour == slot) | (neighbour == low);
        store(s.neighbour + i, lost ? Indices{} + stale : (neighbour == last ? Indices{} + slot : neighbour));
        any |= lost;
    }
    return (any[0] | any[1] | any[2] | any[3]) != 0;
}

JETGRAM_INLINE void join(Slots& s, std::int64_t low, std::int64_t high) {
    for (int i = 0; i < 4; ++i) s.momentum[low][i] += s.momentum[high][i];
    s.next[s.last[low]] = s.first[high];
    s.last[low] = s.last[high];
    hide(s, low);
    const bool any_stale = vacate(s, high, low);
    const Point point = point_of(s.momentum[low]);
    place(s, low, point, link(s, point, low));
    if (!any_stale) return;
    for (std::int64_t i = 0; i < s.used; ++i)
        if (s.neighbour[i] == stale) find_neighbour(s, i);
}

struct Subjet {
    double pt2;
    std::int32_t first;  // of its chain of constituents
};

// Appends each subjet when it is found.
JETGRAM_INLINE void cluster(Slots s, const double* momenta, std::int64_t n, std::vector<Subjet>& subjets) {
    for (std::int64_t i = 0; i < padded(n); ++i) hide(s, i), s.phi[i] = s.pt2[i] = 0;
    for (s.used = 0; s.used < n; ++s.used) {
        const std::int64_t i = s.used;
        std::copy_n(momenta + 4 * i, 4, s.momentum[i].begin());
        s.first[i] = s.last[i] = static_cast<std::int32_t>(i);
        s.next[i] = -1;
        const Point point = point_of(s.momentum[i]);
        place(s, i, point, link(s, point, i));
    }
    while (s.used > 0) {
        const std::int64_t found = smallest_dij(s);
        const std::int64_t neighbour = s.neighbour[found];
        if (neighbour == beam) {
            subjets.push_back({s.pt2[found], s.first[found]});
            vacate(s, found, found);
        } else {
            join(s, std::min(found, neighbour), std::max(found, neighbour));
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void cluster_avx2(const Slots& s, const double* momenta, std::int64_t n,
                                          std::vector<Subjet>& subjets) {
    cluster(s, momenta, n, subjets);
}
#endif
void cluster_portable(const Slots& s, const double* momenta, std::int64_t n, std::vector<Subjet>& subjets) {
    cluster(s, momenta, n, subjets);
}

}  // namespace

struct KtSubjets::Scratch {
    std::vector<double> reals;
    std::vector<std::int64_t> neighbours;
    std::vector<Momentum> momenta;
    std::vector<std::int32_t> links;
    std::vector<Subjet> subjets;

    Slots slots(std::int64_t n, double radius2) {
        const std::int64_t size = padded(n);
        if (static_cast<std::int64_t>(neighbours.size()) < size) {
            reals.resize(5 * size);
            neighbours.resize(size);
            momenta.resize(size);
            links.resize(3 * size);
        }
        double* real = reals.data();
        std::int32_t* link = links.data();
        return {real,           real + size, real + 2 * size, real + 3 * size, real + 4 * size, neighbours.data(),
                momenta.data(), link,        link + size,     link + 2 * size, radius2,         0};
    }
};

KtSubjets::KtSubjets(double radius) : radius2_(radius * radius), scratch_(std::make_unique<Scratch>()) {}
KtSubjets::~KtSubjets() = default;

void KtSubjets::label(const double* momenta, std::int64_t n, std::int32_t* labels) {
    const Slots slots = scratch_->slots(n, radius2_);
    auto& subjets = scratch_->subjets;
    subjets.clear();
#if defined(__x86_64__)
    static const bool avx2 = std::string_view(cpu_path()) == "avx2";
    (avx2 ? cluster_avx2 : cluster_portable)(slots, momenta, n, subjets);
#else
    cluster_portable(slots, momenta, n, subjets);
#endif
    std::stable_sort(subjets.begin(), subjets.end(), [](const auto& a, const auto& b) { return a.pt2 > b.pt2; });
    for (std::size_t rank = 0; rank < subjets.size(); ++rank)
        for (std::int32_t i = subjets[rank].first; i >= 0; i = slots.next[i]) labels[i] = static_cast<std::int32_t>(rank);
}

}  // namespace jetgram
