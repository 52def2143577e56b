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

JETGRAM_INLINE Point point_of(const double* p, Power power) {
    const double pt2 = pt2_of(p);
    return {rapidity_of(p, pt2), azimuth_of(p, pt2), scale_of(pt2, power)};
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

JETGRAM_INLINE Smallest place(Slots s, std::int64_t slot, Point p, Smallest nearest) {
    s.rapidity[slot] = p.rapidity;
    s.phi[slot] = p.phi;
    s.scale[slot] = p.scale;
    s.distance[slot] = nearest.value;
    s.neighbour[slot] = static_cast<double>(nearest.index);
    s.dij[slot] = nearest.value * minimum(p.scale, s.scale[nearest.index]);
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

template <class V>
JETGRAM_INLINE Smallest nearest_of(Slots s, std::int64_t size, std::int64_t slot, Point p, Crowd& crowd) {
    if (s.distance[slot] == 0) {
        if (crowd.rapidity != p.rapidity || crowd.phi != p.phi) crowd.search(s, size, p);
        const std::int64_t other = crowd.first != slot ? crowd.first : crowd.second;
        if (other >= 0) return {0.0, other};
    }
    s.rapidity[slot] = infinity;  // not its own neighbour
    SmallestSoFar<V> nearest;
    for (std::int64_t i = 0; i < size; i += width<V>) nearest.take(distances<V>(s, i, p));
    return nearest.result();
}

// Finds new neighbours for the marked slots; returns the smallest of `best` and their d_ij.
template <class V>
JETGRAM_INLINE Smallest find_neighbours(Slots s, std::int64_t size, Smallest best) {
    Crowd crowd;
    for (std::int64_t begin = 0; begin < size; begin += slots_a_word) {
        for (std::uint64_t word = s.marks[begin / slots_a_word]; word != 0; word &= word - 1) {
            const std::int64_t slot = begin + slot_of<V>(std::countr_zero(word));
            const Point p{s.rapidity[slot], s.phi[slot], s.scale[slot]};
            best = smaller(best, place(s, slot, p, nearest_of<V>(s, size, slot, p, crowd)));
        }
    }
    return best;
}

// Places the leaves one by one; returns the smallest d_ij.
template <class V>
JETGRAM_INLINE Smallest start(Slots s, const Tree& tree, Power power) {
    const std::int64_t n = tree.leaves();
    for (std::int64_t i = 0; i < padded(n); ++i) clear(s, i);
    for (std::int64_t i = 0; i < n; ++i) {
        const Point p = point_of(tree.momentum(i), power);
        s.dij[i] = p.rapidity;  // parked: slots ahead must look empty
        s.phi[i] = p.phi;
        s.scale[i] = p.scale;
        s.node[i] = i;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const Point p{s.dij[i], s.phi[i], s.scale[i]};
        place(s, i, p, link<V>(s, padded(i), p, {i, i, i}).nearest);
    }
    SmallestSoFar<V> smallest;
    for (std::int64_t i = 0; i < padded(n); i += width<V>) smallest.take(load<V>(s.dij + i));
    return smallest.result();
}

template <class V>
JETGRAM_INLINE void cluster(Slots s, Tree& tree, Power power) {
    Smallest best = start<V>(s, tree, power);
    for (std::int64_t last = tree.leaves() - 1; last > 0; --last) {
        const auto neighbour = static_cast<std::int64_t>(s.neighbour[best.index]);
        const std::int64_t low = std::min(best.index, neighbour);
        const std::int64_t high = std::max(best.index, neighbour);
        const std::int64_t node = tree.join(s.node[low], s.node[high]);
        const Point p = point_of(tree.momentum(node), power);
        move(s, last, high);
        clear(s, low);
        const Links links = link<V>(s, padded(last), p, {low, high, last});
        s.node[low] = node;
        best = find_neighbours<V>(s, padded(last), smaller(links.dij, place(s, low, p, links.nearest)));
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void cluster_avx2(Slots s, Tree& tree, Power power) { cluster<Four>(s, tree, power); }
#endif

}  // namespace

Slots GeneralisedKt::slots_for(std::int64_t n) {
    // One line more than needed, so that equal slots of different arrays do not compete for one place in the cache.
    const std::int64_t lines = padded(n) * sizeof(double) / sizeof(CacheLine) + 2;
    if (static_cast<std::int64_t>(memory_.size()) < 8 * lines) memory_.resize(8 * lines);
    const auto reals = [&](int k) { return reinterpret_cast<double*>(memory_.data() + k * lines); };
    return {reals(0), reals(1), reals(2), reals(3), reals(4), reals(5),
            reinterpret_cast<std::int64_t*>(reals(6)), reinterpret_cast<std::uint64_t*>(reals(7))};
}

void GeneralisedKt::build(Tree& tree) {
    const Slots slots = slots_for(tree.leaves());
#if defined(__x86_64__)
    if (use_four_lanes()) return cluster_avx2(slots, tree, power_);
#endif
    cluster<Two>(slots, tree, power_);
}

}  // namespace jetgram
