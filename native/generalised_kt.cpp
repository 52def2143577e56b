#include "generalised_kt.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "plane.hpp"

namespace jetgram {

namespace {

using Slots = GeneralisedKt::Slots;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double none = -1;

// Anti-kt at pT = 0, as in FastJet.
constexpr double pt2_min = 1e-300;
constexpr double scale_max = 1e300;

JETGRAM_INLINE double scale_of(double pt2, Power power) {
    if (power == Power::kt) return pt2;
    if (power == Power::cambridge_aachen) return 1.0;
    return pt2 > pt2_min ? 1.0 / pt2 : scale_max;
}

template <class V>
JETGRAM_INLINE V distances(Slots s, std::int64_t first, Point p) {
    return distance2(load<V>(s.rapidity + first), load<V>(s.phi + first), p);
}

// An empty slot lies at infinite rapidity: infinitely far from everything, it is nobody's neighbour and never joined.
JETGRAM_INLINE void clear(Slots s, std::int64_t slot) {
    s.rapidity[slot] = s.distance[slot] = s.dij[slot] = infinity;
    s.neighbour[slot] = none;
}

JETGRAM_INLINE void move(Slots s, std::int64_t from, std::int64_t to) {
    for (double* values : {s.rapidity, s.phi, s.scale, s.distance, s.dij, s.neighbour}) values[to] = values[from];
    s.node[to] = s.node[from];
    clear(s, from);
}

// Notes the nearest momentum of a slot as its neighbour, if it is within the radius, and their d_ij; else d_iB.
JETGRAM_INLINE Smallest link_to(Slots s, std::int64_t slot, double scale, Smallest nearest) {
    const bool within = nearest.value < s.radius2;
    const double other = within ? s.scale[nearest.index] : scale;
    s.distance[slot] = within ? nearest.value : s.radius2;
    s.neighbour[slot] = within ? static_cast<double>(nearest.index) : none;
    s.dij[slot] = s.distance[slot] * minimum(scale, other);
    return {s.dij[slot], slot};
}

// Marks of slots, one word for 64 of them. The bits of a lane stand together: those of the first lane, of the second, ...
constexpr std::int64_t slots_a_word = 64;

template <class V>
constexpr std::int64_t bits_a_lane = slots_a_word / width<V>;

template <class V>
JETGRAM_INLINE Mask<V> first_bits() {
    Mask<V> bits;
    for (std::int64_t lane = 0; lane < width<V>; ++lane) bits[lane] = std::int64_t{1} << (lane * bits_a_lane<V>);
    return bits;
}

template <class V>
JETGRAM_INLINE std::int64_t slot_of(int bit) {
    return width<V> * (bit % bits_a_lane<V>) + bit / bits_a_lane<V>;
}

// Two slots whose momenta are gone, and the one whose momentum moved to the higher of them.
struct Join {
    std::int64_t low, high, last;
};

struct Links {
    Smallest nearest;  // neighbour of the new point
    Smallest dij;      // among the slots that have a neighbour
};

// Offers a new point, to be placed in the slot `low`, to the slots 0..size-1 as their neighbour, and finds its own.
// Slots that lost theirs to the join, and are not nearer to the new point, are marked.
template <class V>
JETGRAM_INLINE Links link(Slots s, std::int64_t size, Point p, Join join) {
    const V low = fill<V>(join.low), high = fill<V>(join.high), last = fill<V>(join.last);
    SmallestSoFar<V> nearest, smallest;
    for (std::int64_t begin = 0; begin < size; begin += slots_a_word) {
        Mask<V> bits = first_bits<V>();
        Mask<V> marks{};
        const std::int64_t end = std::min(begin + slots_a_word, size);
        for (std::int64_t i = begin; i < end; i += width<V>) {
            const V distance = distances<V>(s, i, p);
            const V before = load<V>(s.distance + i);
            const V neighbour = load<V>(s.neighbour + i);
            const Mask<V> nearer = distance < before;
            const Mask<V> lost = ((neighbour == low) | (neighbour == high)) & ~nearer;
            const V dij = nearer ? distance * minimum(load<V>(s.scale + i), fill<V>(p.scale)) : load<V>(s.dij + i);
            const V kept = neighbour == last ? high : neighbour;
            store(s.distance + i, nearer ? distance : before);
            store(s.neighbour + i, nearer ? low : kept);
            store(s.dij + i, dij);
            marks |= bits & lost;
            bits <<= 1;
            nearest.take(distance);
            smallest.take(lost ? fill<V>(infinity) : dij);
        }
        s.marks[begin / slots_a_word] = union_of<V>(marks);
    }
    return {nearest.result(), smallest.result()};
}

// Momenta in one place, which lose their neighbour together: one search for their first two slots serves all of them.
struct Crowd {
    double rapidity = infinity, phi = 0;
    std::int64_t first = -1, second = -1;

    void search(Slots s, std::int64_t size, Point p) {
        *this = {p.rapidity, p.phi, -1, -1};
        for (std::int64_t i = 0; i < size && second < 0; ++i)
            if (distance2(s.rapidity[i], s.phi[i], p) == 0) (first < 0 ? first : second) = i;
    }
};

// The nearest other momentum in the slots 0..size-1.
template <class V>
JETGRAM_INLINE Smallest nearest_other(Slots s, std::int64_t size, std::int64_t slot, Point p) {
    SmallestSoFar<V> nearest;
    for (std::int64_t i = 0; i < size; i += width<V>) nearest.take_but(slot, distances<V>(s, i, p));
    return nearest.result();
}

template <class V>
JETGRAM_INLINE Smallest nearest_of(Slots s, std::int64_t size, std::int64_t slot, Point p, Crowd& crowd) {
    if (s.distance[slot] == 0) {
        if (crowd.rapidity != p.rapidity || crowd.phi != p.phi) crowd.search(s, size, p);
        const std::int64_t other = crowd.first != slot ? crowd.first : crowd.second;
        if (other >= 0) return {0.0, other};
    }
    return nearest_other<V>(s, size, slot, p);
}

// Finds new neighbours for the marked slots, among all slots and the new point, whose slot `low` still looks empty;
// returns the smallest of `best` and their d_ij.
template <class V>
JETGRAM_INLINE Smallest find_neighbours(Slots s, std::int64_t size, std::int64_t low, Point added, Smallest best) {
    Crowd crowd;
    for (std::int64_t begin = 0; begin < size; begin += slots_a_word) {
        for (std::uint64_t word = s.marks[begin / slots_a_word]; word != 0; word &= word - 1) {
            const std::int64_t slot = begin + slot_of<V>(std::countr_zero(word));
            const Point p{s.rapidity[slot], s.phi[slot], s.scale[slot]};
            const Smallest to_added{distance2(p.rapidity, p.phi, added), low};
            best = smaller(best, link_to(s, slot, p.scale, smaller(nearest_of<V>(s, size, slot, p, crowd), to_added)));
        }
    }
    return best;
}

// Offers a point, to be placed in the next slot `size`, to the slots before it as their neighbour; returns its own.
template <class V>
JETGRAM_INLINE Smallest offer(Slots s, std::int64_t size, Point p) {
    const V slot = fill<V>(static_cast<double>(size));
    SmallestSoFar<V> nearest;
    for (std::int64_t i = 0; i < size; i += width<V>) {
        const V distance = distances<V>(s, i, p);
        const V before = load<V>(s.distance + i);
        const Mask<V> nearer = distance < before;
        store(s.distance + i, nearer ? distance : before);
        store(s.neighbour + i, nearer ? slot : load<V>(s.neighbour + i));
        nearest.take(distance);
    }
    return nearest.result();
}

// Places the leaves one by one; returns the smallest d_ij.
template <class V>
JETGRAM_INLINE Smallest start(Slots s, std::int64_t n, const Place* places, const Tree& tree, Power power) {
    for (std::int64_t i = 0; i < padded(n); ++i) clear(s, i);
    for (std::int64_t i = 0; i < n; ++i) {
        s.phi[i] = places[i].phi;
        s.scale[i] = scale_of(tree.pt2(i), power);
        s.node[i] = i;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const Smallest nearest = offer<V>(s, i, {places[i].rapidity, places[i].phi, 0});
        const bool within = nearest.value < s.radius2;
        s.rapidity[i] = places[i].rapidity;  // from now on the slot is not empty
        s.distance[i] = within ? nearest.value : s.radius2;
        s.neighbour[i] = within ? static_cast<double>(nearest.index) : none;
    }
    Smallest best{infinity, 0};
    for (std::int64_t i = 0; i < n; ++i) {
        const auto neighbour = s.neighbour[i] == none ? i : static_cast<std::int64_t>(s.neighbour[i]);
        s.dij[i] = s.distance[i] * minimum(s.scale[i], s.scale[neighbour]);
        if (s.dij[i] < best.value) best = {s.dij[i], i};
    }
    return best;
}

// Makes the momentum in a slot a jet; the last one moves there. Returns the smallest distance that is left.
template <class V>
JETGRAM_INLINE Smallest take_out(Slots s, std::int64_t slot, std::int64_t last) {
    constexpr Point nowhere{infinity, 0, 0};
    move(s, last, slot);
    const Links links = link<V>(s, padded(last), nowhere, {slot, slot, last});
    return find_neighbours<V>(s, padded(last), slot, nowhere, links.dij);
}

// Joins the momenta in two slots; the last one moves to the higher of them.
template <class V>
JETGRAM_INLINE Smallest join(Slots s, Join join, Tree& tree, Power power, Place* places) {
    const auto [low, high, last] = join;
    const std::int64_t node = tree.join(s.node[low], s.node[high]);
    // Single slots are written well before vectors of them are read: the processor would have to wait in between.
    move(s, last, high);
    clear(s, low);
    s.node[low] = node;
    const double pt2 = tree.pt2(node);
    places[node] = place_of(tree.momentum(node), pt2);
    const Point p{places[node].rapidity, places[node].phi, scale_of(pt2, power)};
    s.scale[low] = p.scale;
    const Links links = link<V>(s, padded(last), p, join);
    const Smallest best = smaller(links.dij, link_to(s, low, p.scale, links.nearest));
    const Smallest all = find_neighbours<V>(s, padded(last), low, p, best);
    s.rapidity[low] = p.rapidity;
    s.phi[low] = p.phi;
    return all;
}

template <class V>
JETGRAM_INLINE void cluster(Slots s, Tree& tree, Power power, Place* places, std::vector<std::int64_t>& jets) {
    Smallest best = start<V>(s, tree.leaves(), places, tree, power);
    for (std::int64_t last = tree.leaves() - 1; last >= 0; --last) {
        const std::int64_t slot = best.index;
        if (s.neighbour[slot] == none) {
            jets.push_back(s.node[slot]);
            best = take_out<V>(s, slot, last);
        } else {
            const auto neighbour = static_cast<std::int64_t>(s.neighbour[slot]);
            best = join<V>(s, {std::min(slot, neighbour), std::max(slot, neighbour), last}, tree, power, places);
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void cluster_avx2(Slots s, Tree& tree, Power power, Place* places,
                                          std::vector<std::int64_t>& jets) {
    cluster<Four>(s, tree, power, places, jets);
}
#endif

}  // namespace

Slots GeneralisedKt::slots_for(std::int64_t n) {
    // One line more than needed, so that equal slots of different arrays do not compete for one place in the cache.
    const std::int64_t lines = padded(n) * sizeof(double) / sizeof(CacheLine) + 2;
    if (static_cast<std::int64_t>(memory_.size()) < 8 * lines) memory_.resize(8 * lines);
    const auto reals = [&](int k) { return reinterpret_cast<double*>(memory_.data() + k * lines); };
    return {reals(0), reals(1), reals(2), reals(3), reals(4), reals(5),
            reinterpret_cast<std::int64_t*>(reals(6)), reinterpret_cast<std::uint64_t*>(reals(7)), radius2_};
}

void GeneralisedKt::build(Tree& tree) {
    places_.resize(2 * tree.leaves() - 1);
    for (std::int64_t i = 0; i < tree.leaves(); ++i) places_[i] = place_of(tree.momentum(i), tree.pt2(i));
    cluster_placed(tree);
}

void GeneralisedKt::build(Tree& tree, const Place* leaves) {
    places_.resize(2 * tree.leaves() - 1);
    std::copy_n(leaves, tree.leaves(), places_.begin());
    cluster_placed(tree);
}

void GeneralisedKt::cluster_placed(Tree& tree) {
    const Slots slots = slots_for(tree.leaves());
    jets_.clear();
#if defined(__x86_64__)
    if (use_four_lanes()) return cluster_avx2(slots, tree, power_, places_.data(), jets_);
#endif
    cluster<Two>(slots, tree, power_, places_.data(), jets_);
}

}  // namespace jetgram
