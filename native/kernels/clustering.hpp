// Generalised-kt clustering of one jet: generalised_kt.hpp says what it is, and how equal distances are settled.
#pragma once

#include <bit>

#include "../tree.hpp"
#include "kernels.hpp"
#include "plane.hpp"

namespace jetgram::JETGRAM_PATH {

inline constexpr double none = -1;
inline constexpr std::int64_t blocks_per_word = 64 / width;

// Anti-kt at pT = 0, as in FastJet.
inline constexpr double pt2_min = 1e-300, scale_max = 1e300;

JETGRAM_INLINE double scale_of(double pt2, Power power) {
    if (power == Power::kt) return pt2;
    if (power == Power::cambridge_aachen) return 1.0;
    return pt2 > pt2_min ? 1.0 / pt2 : scale_max;
}

// What is known of the momenta that are left, in the slots of one vector.
struct Block {
    Reals rapidity, phi;
    Reals scale;     // pT^2p
    Reals distance;  // squared, to the nearest neighbour; the squared radius if there is none within it
    Reals dij;       // with the nearest neighbour, or d_iB; times the squared radius
    Reals neighbour;
};

static_assert(sizeof(Block) == numbers_per_slot * sizeof(Reals));

// All slots.
struct Board {
    Block* blocks;
    std::int64_t* node;
    std::uint64_t* lost;
    double radius2;

    JETGRAM_INLINE Block& block(std::int64_t slot) const { return blocks[static_cast<std::uint64_t>(slot) / width]; }
};

JETGRAM_INLINE std::int64_t lane_of(std::int64_t slot) { return slot & (width - 1); }
JETGRAM_INLINE std::int64_t blocks_for(std::int64_t slots) { return (slots + width - 1) / width; }

JETGRAM_INLINE Reals distances(const Block& block, Point p) { return distance2(block.rapidity, block.phi, p); }

JETGRAM_INLINE double value_in(const Reals& values, std::int64_t lane) {
    return reinterpret_cast<const double*>(&values)[lane];
}

JETGRAM_INLINE Point point_in(const Board& s, std::int64_t slot) {
    const Block& block = s.block(slot);
    const std::int64_t lane = lane_of(slot);
    return {value_in(block.rapidity, lane), value_in(block.phi, lane), value_in(block.scale, lane)};
}

// An empty slot lies at infinite rapidity: infinitely far from everything, it is nobody's neighbour and never joined.
// Nothing is nearer to it than its distance, 0.
JETGRAM_INLINE void clear(const Board& s, std::int64_t slot) {
    Block& block = s.block(slot);
    const Choice lane = only(lane_of(slot));
    put(block.rapidity, lane, infinity);
    put(block.dij, lane, infinity);
    put(block.distance, lane, 0);
    put(block.neighbour, lane, none);
}

JETGRAM_INLINE void move(const Board& s, std::int64_t from, std::int64_t to) {
    const Block& source = s.block(from);
    Block& target = s.block(to);
    const std::int64_t place = lane_of(from);
    const Choice lane = only(lane_of(to));
    put(target.rapidity, lane, value_in(source.rapidity, place));
    put(target.phi, lane, value_in(source.phi, place));
    put(target.scale, lane, value_in(source.scale, place));
    put(target.distance, lane, value_in(source.distance, place));
    put(target.dij, lane, value_in(source.dij, place));
    put(target.neighbour, lane, value_in(source.neighbour, place));
    s.node[to] = s.node[from];
    clear(s, from);
}

// Notes the nearest momentum of a slot as its neighbour, if it is within the radius, and their d_ij; else d_iB.
JETGRAM_INLINE Smallest link_to(const Board& s, std::int64_t slot, double scale, Smallest nearest) {
    const bool within = nearest.value < s.radius2;
    const double other = value_in(s.block(nearest.index).scale, lane_of(nearest.index));
    const double distance = within ? nearest.value : s.radius2;
    const double dij = distance * (within ? minimum(scale, other) : scale);
    Block& block = s.block(slot);
    const Choice lane = only(lane_of(slot));
    put(block.distance, lane, distance);
    put(block.neighbour, lane, within ? static_cast<double>(nearest.index) : none);
    put(block.dij, lane, dij);
    return {dij, slot};
}

// Momenta in one place, which lose their neighbour together: one search for their first two slots serves all of them.
struct Crowd {
    double rapidity = infinity, phi = 0;
    std::int64_t first = -1, second = -1;

    JETGRAM_INLINE void search(const Board& s, std::int64_t blocks, Point p) {
        *this = {p.rapidity, p.phi, -1, -1};
        for (std::int64_t i = 0; i < blocks * width && second < 0; ++i) {
            const Point other = point_in(s, i);
            if (distance2(other.rapidity, other.phi, p) == 0) (first < 0 ? first : second) = i;
        }
    }
};

// The nearest other momentum in the first blocks.
JETGRAM_INLINE Smallest nearest_other(const Board& s, std::int64_t blocks, std::int64_t slot, Point p) {
    const Reals self = fill(static_cast<double>(slot)), nothing = fill(infinity);
    Reals indices = first_indices();
    SmallestSoFar nearest;
    for (std::int64_t i = 0; i < blocks; ++i) {
        nearest.take(choose(equal(indices, self), nothing, distances(s.blocks[i], p)), indices);
        indices += static_cast<double>(width);
    }
    return nearest.result();
}

JETGRAM_INLINE void find_neighbour(const Board& s, std::int64_t blocks, std::int64_t slot, Crowd& crowd) {
    const Point p = point_in(s, slot);
    if (value_in(s.block(slot).distance, lane_of(slot)) == 0) {
        if (crowd.rapidity != p.rapidity || crowd.phi != p.phi) crowd.search(s, blocks, p);
        const std::int64_t other = crowd.first != slot ? crowd.first : crowd.second;
        if (other >= 0) return static_cast<void>(link_to(s, slot, p.scale, {0.0, other}));
    }
    link_to(s, slot, p.scale, nearest_other(s, blocks, slot, p));
}

// Two slots whose momenta are gone, and the one whose momentum moved to the higher of them.
struct Join {
    std::int64_t low, high, last;
};

// Which slots of a few blocks lost their neighbour to a join, one bit each; the others follow theirs if it moved.
JETGRAM_INLINE std::uint64_t lost_neighbours(const Board& s, std::int64_t begin, std::int64_t end, Join join) {
    const Reals low = fill(static_cast<double>(join.low)), high = fill(static_cast<double>(join.high));
    const Reals last = fill(static_cast<double>(join.last));
    std::uint64_t lost = 0;
    for (std::int64_t i = begin; i < end; ++i) {
        const Reals neighbour = s.blocks[i].neighbour;
        lost |= bits_of(equal(neighbour, low) | equal(neighbour, high)) << (width * (i - begin));
        s.blocks[i].neighbour = choose(equal(neighbour, last), high, neighbour);
    }
    return lost;
}

// Finds new neighbours, among the slots of the first blocks, for those who lost theirs to a join.
JETGRAM_INLINE void replace_neighbours(const Board& s, std::int64_t blocks, Join join) {
    Crowd crowd;
    for (std::int64_t begin = 0; begin < blocks; begin += blocks_per_word) {
        const std::int64_t end = begin + blocks_per_word < blocks ? begin + blocks_per_word : blocks;
        std::uint64_t lost = lost_neighbours(s, begin, end, join);
        s.lost[begin / blocks_per_word] = lost;
        for (; lost != 0; lost &= lost - 1)
            find_neighbour(s, blocks, width * begin + std::countr_zero(lost), crowd);
    }
}

// The smallest distance in the first blocks.
JETGRAM_INLINE Smallest smallest_dij(const Board& s, std::int64_t blocks) {
    Reals indices = first_indices();
    SmallestSoFar smallest;
    for (std::int64_t i = 0; i < blocks; ++i) {
        smallest.take(s.blocks[i].dij, indices);
        indices += static_cast<double>(width);
    }
    return smallest.result();
}

struct Links {
    Smallest nearest;  // neighbour of the new point
    Smallest dij;      // of the others
    bool ties;
};

// Offers a new point, to be placed in the slot `low`, to the slots of the first blocks as their neighbour, and finds
// its own.
JETGRAM_INLINE Links offer(const Board& s, std::int64_t blocks, std::int64_t low, Point p) {
    const Reals slot = fill(static_cast<double>(low)), scale = fill(p.scale);
    Reals indices = first_indices();
    Choice ties = equal(indices, fill(none));
    SmallestSoFar nearest, smallest;
    for (std::int64_t i = 0; i < blocks; ++i) {
        Block& block = s.blocks[i];
        const Reals distance = distances(block, p);
        const Choice nearer = less(distance, block.distance);
        ties |= equal(distance, block.distance);
        block.dij = choose(nearer, distance * minimum(block.scale, scale), block.dij);
        block.distance = minimum(distance, block.distance);
        block.neighbour = choose(nearer, slot, block.neighbour);
        nearest.take(distance, indices);
        smallest.take(block.dij, indices);
        indices += static_cast<double>(width);
    }
    return {nearest.result(), smallest.result(), bits_of(ties) != 0};
}

// Of two nearest momenta the one in the lower slot is the neighbour, for slots that just lost theirs: the new point, if
// it is as near as what they found without it, and in a lower slot.
[[gnu::noinline]] static Smallest settle_ties(Board s, std::int64_t blocks, std::int64_t low, Point p) {
    for (std::int64_t begin = 0; begin < blocks; begin += blocks_per_word)
        for (std::uint64_t lost = s.lost[begin / blocks_per_word]; lost != 0; lost &= lost - 1) {
            const std::int64_t slot = width * begin + std::countr_zero(lost), lane = lane_of(slot);
            Block& block = s.block(slot);
            const Point q = point_in(s, slot);
            const double distance = distance2(q.rapidity, q.phi, p);
            if (distance != value_in(block.distance, lane)) continue;
            if (!(value_in(block.neighbour, lane) > static_cast<double>(low))) continue;
            put(block.neighbour, only(lane), static_cast<double>(low));
            put(block.dij, only(lane), distance * minimum(q.scale, p.scale));
        }
    return smallest_dij(s, blocks);
}

// Places a momentum in a slot, still without a neighbour.
JETGRAM_INLINE void place(const Board& s, std::int64_t slot, std::int64_t node, Point p) {
    Block& block = s.block(slot);
    const Choice lane = only(lane_of(slot));
    put(block.rapidity, lane, p.rapidity);
    put(block.phi, lane, p.phi);
    put(block.scale, lane, p.scale);
    s.node[slot] = node;
}

// Offers a leaf, to be placed in the next slot, to the slots of the first blocks as their neighbour; returns its own.
JETGRAM_INLINE Smallest introduce(const Board& s, std::int64_t blocks, std::int64_t next, Point p) {
    const Reals slot = fill(static_cast<double>(next));
    Reals indices = first_indices();
    SmallestSoFar nearest;
    for (std::int64_t i = 0; i < blocks; ++i) {
        Block& block = s.blocks[i];
        const Reals distance = distances(block, p);
        block.neighbour = choose(less(distance, block.distance), slot, block.neighbour);
        block.distance = minimum(distance, block.distance);
        nearest.take(distance, indices);
        indices += static_cast<double>(width);
    }
    return nearest.result();
}

// Places the leaves one by one; returns the smallest d_ij.
JETGRAM_INLINE Smallest start(const Board& s, std::int64_t n, const Place* places, const Tree& tree, Power power) {
    const std::int64_t blocks = blocks_for(n);
    const Block empty{fill(infinity), Reals{}, Reals{}, Reals{}, fill(infinity), fill(none)};
    for (std::int64_t i = 0; i < blocks; ++i) s.blocks[i] = empty;
    for (std::int64_t i = 0; i < n; ++i) {
        const Point p{places[i].rapidity, places[i].phi, scale_of(tree.pt2(i), power)};
        const Smallest nearest = introduce(s, blocks_for(i), i, p);
        const bool within = nearest.value < s.radius2;
        Block& block = s.block(i);
        const Choice lane = only(lane_of(i));
        place(s, i, i, p);
        put(block.distance, lane, within ? nearest.value : s.radius2);
        put(block.neighbour, lane, within ? static_cast<double>(nearest.index) : none);
    }
    for (std::int64_t i = 0; i < n; ++i) {
        Block& block = s.block(i);
        const std::int64_t lane = lane_of(i);
        const double neighbour = value_in(block.neighbour, lane);
        const std::int64_t other = neighbour == none ? i : static_cast<std::int64_t>(neighbour);
        const double least = minimum(value_in(block.scale, lane), value_in(s.block(other).scale, lane_of(other)));
        put(block.dij, only(lane), value_in(block.distance, lane) * least);
    }
    return smallest_dij(s, blocks);
}

// Makes the momentum in a slot a jet; the last one moves there. Returns the smallest distance that is left.
JETGRAM_INLINE Smallest take_out(const Board& s, std::int64_t slot, std::int64_t last) {
    move(s, last, slot);
    replace_neighbours(s, blocks_for(last), {slot, slot, last});
    return smallest_dij(s, blocks_for(last));
}

// The same for all others behind the lowest slot, where the distance to the beam is the same for all, and no pair is
// nearer: the one that moves to the lowest slot is always next. Returns how many there are.
JETGRAM_INLINE std::int64_t take_out_all(const Board& s, std::int64_t last, std::int64_t* jets) {
    for (std::int64_t i = last; i > 0; --i) *jets++ = s.node[i];
    return last;
}

// Joins the momenta in two slots; the last one moves to the higher of them.
JETGRAM_INLINE Smallest join(const Board& s, Join join, Tree& tree, Power power, Place* places) {
    const auto [low, high, last] = join;
    const std::int64_t node = tree.join(s.node[low], s.node[high]), blocks = blocks_for(last);
    move(s, last, high);
    clear(s, low);
    // Neighbours first: they do not wait for the logarithm and the arc tangent.
    replace_neighbours(s, blocks, join);
    const double pt2 = tree.pt2(node);
    places[node] = place_of(tree.momentum(node), pt2);
    const Point p{places[node].rapidity, places[node].phi, scale_of(pt2, power)};
    Links links = offer(s, blocks, low, p);
    if (links.ties) [[unlikely]]
        links.dij = settle_ties(s, blocks, low, p);
    place(s, low, node, p);
    return smaller(links.dij, link_to(s, low, p.scale, links.nearest));
}

static std::int64_t cluster(Slots slots, Tree& tree, Power power, Place* places, std::int64_t* jets) {
    const Board s{static_cast<Block*>(slots.blocks), slots.node, slots.lost, slots.radius2};
    std::int64_t found = 0;
    Smallest best = start(s, tree.leaves(), places, tree, power);
    for (std::int64_t last = tree.leaves() - 1; last >= 0; --last) {
        const std::int64_t slot = best.index;
        const double other = value_in(s.block(slot).neighbour, lane_of(slot));
        if (other == none) {
            jets[found++] = s.node[slot];
            if (power == Power::cambridge_aachen) return found + take_out_all(s, last, jets + found);
            best = take_out(s, slot, last);
        } else {
            const auto neighbour = static_cast<std::int64_t>(other);
            const std::int64_t swapped = (slot ^ neighbour) & -static_cast<std::int64_t>(slot > neighbour);
            best = join(s, {slot ^ swapped, neighbour ^ swapped, last}, tree, power, places);
        }
    }
    return found;
}

}  // namespace jetgram::JETGRAM_PATH
