#include "subjets.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "plane.hpp"

namespace jetgram {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double beam = -1;   // no neighbour within the radius
constexpr double stale = -2;  // the neighbour is gone, the next one not yet known

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
    double* neighbour;  // its slot
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

template <class V>
JETGRAM_INLINE V distances(const Slots& s, std::int64_t first, const Point& p) {
    return distance2(load<V>(s.rapidity + first), load<V>(s.phi + first), p);
}

// Offers a point that will live in `slot` to all others as their neighbour, and finds its own.
template <class V>
JETGRAM_INLINE Smallest link(const Slots& s, const Point& p, std::int64_t slot) {
    SmallestSoFar<V> nearest;
    for (std::int64_t i = 0; i < s.used; i += width<V>) {
        const V distance = distances<V>(s, i, p);
        const V before = load<V>(s.distance + i);
        const Mask<V> nearer = distance < before;
        store(s.distance + i, nearer ? distance : before);
        store(s.neighbour + i, nearer ? fill<V>(slot) : load<V>(s.neighbour + i));
        store(s.dij + i, nearer ? distance * minimum(load<V>(s.pt2 + i), fill<V>(p.scale)) : load<V>(s.dij + i));
        nearest.take(distance);
    }
    return nearest.result();
}

JETGRAM_INLINE void place(const Slots& s, std::int64_t slot, const Point& p, const Smallest& nearest) {
    const bool within = nearest.value < s.radius2;
    s.rapidity[slot] = p.rapidity;
    s.phi[slot] = p.phi;
    s.pt2[slot] = p.scale;
    s.distance[slot] = within ? nearest.value : s.radius2;
    s.neighbour[slot] = within ? static_cast<double>(nearest.index) : beam;
    s.dij[slot] = s.distance[slot] * (within ? std::min(p.scale, s.pt2[nearest.index]) : p.scale);
}

template <class V>
JETGRAM_INLINE std::int64_t smallest_dij(const Slots& s) {
    SmallestSoFar<V> smallest;
    for (std::int64_t i = 0; i < s.used; i += width<V>) smallest.take(load<V>(s.dij + i));
    return smallest.result().index;
}

template <class V>
JETGRAM_INLINE void find_neighbour(const Slots& s, std::int64_t slot) {
    const Point p{s.rapidity[slot], s.phi[slot], s.pt2[slot]};
    const bool coincided = s.distance[slot] == 0;  // with the neighbour it lost: likely with others too
    s.rapidity[slot] = infinity;                   // out of its own sight
    SmallestSoFar<V> nearest;
    for (std::int64_t i = 0; i < s.used; i += width<V>) {
        nearest.take(distances<V>(s, i, p));
        if (coincided && nearest.result().value == 0) break;
    }
    place(s, slot, p, nearest.result());
}

// Moves the last momentum into `slot`. Whose neighbour was `slot` or `low` needs another one: are there any?
template <class V>
JETGRAM_INLINE bool vacate(Slots& s, std::int64_t slot, std::int64_t low) {
    const std::int64_t last = --s.used;
    for (double* column : {s.rapidity, s.phi, s.pt2, s.distance, s.dij, s.neighbour}) column[slot] = column[last];
    for (std::int32_t* column : {s.first, s.last}) column[slot] = column[last];
    s.momentum[slot] = s.momentum[last];
    hide(s, last);
    Mask<V> any{};
    for (std::int64_t i = 0; i < s.used; i += width<V>) {
        const V neighbour = load<V>(s.neighbour + i);
        const Mask<V> lost = (neighbour == fill<V>(slot)) | (neighbour == fill<V>(low));
        const V kept = neighbour == fill<V>(last) ? fill<V>(slot) : neighbour;
        store(s.neighbour + i, lost ? fill<V>(stale) : kept);
        any |= lost;
    }
    return union_of<V>(any) != 0;
}

template <class V>
JETGRAM_INLINE void join(Slots& s, std::int64_t low, std::int64_t high) {
    for (int i = 0; i < 4; ++i) s.momentum[low][i] += s.momentum[high][i];
    s.next[s.last[low]] = s.first[high];
    s.last[low] = s.last[high];
    hide(s, low);
    const bool any_stale = vacate<V>(s, high, low);
    const Point point = point_of(s.momentum[low]);
    place(s, low, point, link<V>(s, point, low));
    if (!any_stale) return;
    for (std::int64_t i = 0; i < s.used; ++i)
        if (s.neighbour[i] == stale) find_neighbour<V>(s, i);
}

struct Subjet {
    double pt2;
    std::int32_t first;  // of its chain of constituents
};

// Appends each subjet when it is found.
template <class V>
JETGRAM_INLINE void cluster(Slots s, const double* momenta, std::int64_t n, std::vector<Subjet>& subjets) {
    for (std::int64_t i = 0; i < padded(n); ++i) hide(s, i), s.phi[i] = s.pt2[i] = 0;
    for (s.used = 0; s.used < n; ++s.used) {
        const std::int64_t i = s.used;
        std::copy_n(momenta + 4 * i, 4, s.momentum[i].begin());
        s.first[i] = s.last[i] = static_cast<std::int32_t>(i);
        s.next[i] = -1;
        const Point point = point_of(s.momentum[i]);
        place(s, i, point, link<V>(s, point, i));
    }
    while (s.used > 0) {
        const std::int64_t found = smallest_dij<V>(s);
        const auto neighbour = static_cast<std::int64_t>(s.neighbour[found]);
        if (s.neighbour[found] == beam) {
            subjets.push_back({s.pt2[found], s.first[found]});
            vacate<V>(s, found, found);
        } else {
            join<V>(s, std::min(found, neighbour), std::max(found, neighbour));
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void cluster_avx2(const Slots& s, const double* momenta, std::int64_t n,
                                          std::vector<Subjet>& subjets) {
    cluster<Four>(s, momenta, n, subjets);
}
#endif

void cluster_dispatched(const Slots& s, const double* momenta, std::int64_t n, std::vector<Subjet>& subjets) {
#if defined(__x86_64__)
    if (use_four_lanes()) return cluster_avx2(s, momenta, n, subjets);
#endif
    cluster<Two>(s, momenta, n, subjets);
}

}  // namespace

struct KtSubjets::Scratch {
    std::vector<double> reals;
    std::vector<Momentum> momenta;
    std::vector<std::int32_t> links;
    std::vector<Subjet> subjets;

    Slots slots(std::int64_t n, double radius2) {
        const std::int64_t size = padded(n);
        if (static_cast<std::int64_t>(momenta.size()) < size) {
            reals.resize(6 * size);
            momenta.resize(size);
            links.resize(3 * size);
        }
        double* real = reals.data();
        std::int32_t* link = links.data();
        return {real,           real + size, real + 2 * size, real + 3 * size, real + 4 * size, real + 5 * size,
                momenta.data(), link,        link + size,     link + 2 * size, radius2,         0};
    }
};

KtSubjets::KtSubjets(double radius) : radius2_(radius * radius), scratch_(std::make_unique<Scratch>()) {}
KtSubjets::~KtSubjets() = default;

void KtSubjets::label(const double* momenta, std::int64_t n, std::int32_t* labels) {
    const Slots slots = scratch_->slots(n, radius2_);
    auto& subjets = scratch_->subjets;
    subjets.clear();
    cluster_dispatched(slots, momenta, n, subjets);
    std::stable_sort(subjets.begin(), subjets.end(), [](const auto& a, const auto& b) { return a.pt2 > b.pt2; });
    for (std::size_t rank = 0; rank < subjets.size(); ++rank)
        for (std::int32_t i = subjets[rank].first; i >= 0; i = slots.next[i]) labels[i] = static_cast<std::int32_t>(rank);
}

}  // namespace jetgram
