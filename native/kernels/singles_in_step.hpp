// Cambridge/Aachen of several jets in step as in_step.hpp has it, in single precision: twice as many jets per vector.
//
// Coordinates are integers, in units of 2^-27 from the first leaf of each jet: so differences are exact, azimuths need no
// wrapping, and squared distances have all their digits. What they can be wrong by counts against every decision;
// many_trees.hpp says what becomes of trees in doubt.
#pragma once

#include "../tree.hpp"
#include "rows_in_step.hpp"
#include "singles.hpp"

namespace jetgram::JETGRAM_PATH {

inline constexpr double per_unit = 0x1p27;  // of rapidity, and radian
inline constexpr double farthest_place = 3.0;
// Empty slots lie at this rapidity, and points that are not there at this azimuth: farther from all places than these
// are from each other, and still near enough for differences to be integers.
inline constexpr double empty_place = 12.5;
static_assert((empty_place + farthest_place) * per_unit < 0x1p31);
static_assert(empty_place - farthest_place > 2 * farthest_place + 3.1);
inline constexpr auto nowhere_in_units = static_cast<std::int32_t>(empty_place * per_unit);
inline constexpr float very_far_in_units = 0x1p120f;

// The momentum in one slot of each jet.
struct UnitRow {
    Words rapidity, phi;
    Singles nearest;  // squared distance to the nearest neighbour; a lower bound where that is gone
    Words neighbour;  // its node
};

static_assert(sizeof(UnitRow) == numbers_per_row * sizeof(Singles));

// One momentum of each jet.
struct UnitPoints {
    Words rapidity, phi, node;
};

// A squared distance, and the slot that it belongs to.
struct Shortest {
    Singles distance2 = fill_singles(very_far_in_units);
    Words slot{};

    JETGRAM_INLINE void take(const Singles& other, const Words& other_slot) {
        slot = other < distance2 ? other_slot : slot;
        distance2 = minimum(other, distance2);
    }
};

// The nearest other of each point, and the smallest distance among the others before it came.
struct UnitView {
    Shortest nearest, before;
};

// Compares points with the first rows, and offers them as neighbours.
JETGRAM_INLINE UnitView compare(UnitRow* rows, std::int64_t count, const UnitPoints& p) {
    UnitView view;
    Words slot{};
    for (std::int64_t i = 0; i < count; ++i, slot += 1) {
        UnitRow& row = rows[i];
        const Singles y = __builtin_convertvector(row.rapidity - p.rapidity, Singles);
        const Singles phi = __builtin_convertvector(row.phi - p.phi, Singles);
        const Singles distance2 = multiply_add(phi, phi, y * y), old = row.nearest;
        row.neighbour = distance2 < old ? p.node : row.neighbour;
        row.nearest = minimum(distance2, old);
        view.nearest.take(distance2, slot);
        view.before.take(old, slot);
    }
    return view;
}

class SinglesInStep {
  public:
    SinglesInStep(const StepMemory& memory, Tree* const* trees, std::int64_t count)
        : rows_(static_cast<UnitRow*>(memory.rows)),
          node_of_(memory.node_of),
          slot_of_(memory.slot_of),
          trees_(trees),
          count_(count) {}

    // In this order: the leaves, then turns until there are none left.
    JETGRAM_INLINE void introduce_leaves() {
        std::int32_t most = 0;
        for (std::int64_t lane = 0; lane < count_; ++lane) {
            left_[lane] = static_cast<std::int32_t>(trees_[lane]->leaves());
            most = left_[lane] > most ? left_[lane] : most;
            active_ |= static_cast<std::uint64_t>(left_[lane] > 1) << lane;
        }
        for (std::int32_t i = 0; i < most; ++i) introduce(i);
        // Farther apart, the shorter way between two azimuths may be the other one. The azimuth of a sum lies between
        // those of its parts: it is enough to look at leaves.
        doubt(active_, bits_of(highest_ - lowest_ < static_cast<std::int32_t>(3.1 * per_unit)));
        Words slot{};
        for (std::int32_t i = 0; i < most; ++i, slot += 1) smallest_.take(rows_[i].nearest, slot);
    }

    // What each jet does next; false if all are done.
    JETGRAM_INLINE bool choose_turns() {
        std::int32_t slots[single_width], others[single_width];
        active_ &= ~doubtful_;
        most_ = 0;
        std::uint64_t lost = 0;
        for (std::uint64_t bits = active_; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            slots[lane] = smallest_.slot[lane];
            others[lane] = slot_of(lane_of(rows_[slots[lane]].neighbour, lane), lane);
            lost |= static_cast<std::uint64_t>(others[lane] < 0) << lane;
            most_ = left_[lane] > most_ ? left_[lane] : most_;
        }
        joins_ = active_ & ~lost;
        for (std::uint64_t bits = joins_; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            join(lane, slots[lane], others[lane]);
        }
        for (std::uint64_t bits = lost; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            search(lane, slots[lane]);
        }
        return active_ != 0;
    }

    // Finds out where the points of this turn lie.
    JETGRAM_INLINE void locate() {
        const Words joined = choice_of(joins_);
        const Located at = located();
        points_ = {joined ? at.rapidity : load_words(known_[0]), joined ? at.phi : load_words(known_[1]),
                   load_words(node_)};
        doubt(joins_, at.sure);
    }

    // Compares them with all others, and puts them into their slots.
    JETGRAM_INLINE void turn() {
        const UnitView view = compare(rows_, most_, points_);
        const Singles shortest = load_singles(joined_);
        doubt(joins_, bits_of(shortest + rounding_of(view.before.distance2) < view.before.distance2));
        doubt(joins_, bits_of(shortest > static_cast<float>(least_distance2 * per_unit * per_unit)));
        smallest_ = view.before;
        smallest_.take(view.nearest.distance2, load_words(target_));
        for (std::uint64_t bits = active_; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            place(lane, view.nearest);
            active_ ^= static_cast<std::uint64_t>(left_[lane] == 1) << lane;
        }
    }

    // The jets whose trees are not certain, one bit each.
    JETGRAM_INLINE std::uint64_t doubtful() const { return doubtful_; }

  private:
    struct Located {
        Words rapidity, phi;
        std::uint64_t sure;
    };

    // How much the difference of two squared distances may be wrong, of which the larger one is given. Coordinates are
    // cut off to integers: so both differences may be wrong by 2, a distance D by 2 sqrt(2), its square by
    // 2 sqrt(2) 2 D + 8, two of them by 11.4 D + 16; and each by the rounding of single precision, 2^-22 of it. A
    // square less what this gives for it rises with the square: so it is enough to look at the nearest of the others.
    JETGRAM_INLINE static Singles rounding_of(const Singles& larger) {
        return 12 * square_root(larger) + (0x1p-20f * larger + 64);
    }

    // Where the new momenta lie, from the first leaf of each jet.
    JETGRAM_INLINE Located located() const {
        Reals rapidity[2], phi[2];
        std::uint64_t sure = 0;
        for (int half = 0; half < 2; ++half) {
            const std::int64_t lane = half * width;
            const Places at = places_of(load(momentum_[0] + lane), load(momentum_[1] + lane),
                                        load(momentum_[2] + lane), load(momentum_[3] + lane));
            const Reals pi = fill(std::numbers::pi), limit = fill(farthest_place);
            const Reals up = at.rapidity - load(origin_[0] + lane), across = at.phi - load(origin_[1] + lane);
            const Reals around =
                choose(less(pi, across), across - two_pi, choose(less(across, -pi), across + two_pi, across));
            const Choice near = at.sure & less(absolute(up), limit) & less(absolute(around), limit);
            rapidity[half] = choose(near, up * per_unit, Reals{});
            phi[half] = choose(near, around * per_unit, Reals{});
            sure |= bits_of(near) << lane;
        }
        return {whole_numbers(rapidity[0], rapidity[1]), whole_numbers(phi[0], phi[1]), sure};
    }

    // The leaf i of all jets that have so many.
    JETGRAM_INLINE void introduce(std::int32_t i) {
        std::uint64_t present = 0;
        for (std::int64_t lane = 0; lane < count_; ++lane) {
            if (i >= left_[lane]) continue;
            present |= std::uint64_t{1} << lane;
            take_momentum(lane, i);
            slot_of(i, lane) = node_in(i, lane) = i;
        }
        if (i == 0) find_origins();
        const Words there = choice_of(present), nowhere = Words{} + nowhere_in_units;
        const Located at = located();
        const UnitPoints p{at.rapidity, there ? at.phi : nowhere, Words{} + i};
        const UnitView view = compare(rows_, i, p);
        doubt(present, at.sure);
        lowest_ = (there & (at.phi < lowest_)) ? at.phi : lowest_;
        highest_ = (there & (at.phi > highest_)) ? at.phi : highest_;
        // The nodes of leaves are their slots.
        const Singles far = fill_singles(very_far_in_units);
        rows_[i] = {there ? p.rapidity : nowhere, at.phi, there ? view.nearest.distance2 : far, view.nearest.slot};
    }

    JETGRAM_INLINE void find_origins() {
        for (std::int64_t lane = 0; lane < single_width; lane += width) {
            const Places at = places_of(load(momentum_[0] + lane), load(momentum_[1] + lane),
                                        load(momentum_[2] + lane), load(momentum_[3] + lane));
            store(origin_[0] + lane, at.rapidity);
            store(origin_[1] + lane, at.phi);
        }
    }

    JETGRAM_INLINE void search(std::int64_t lane, std::int32_t slot) {
        const UnitRow& row = rows_[slot];
        target_[lane] = slot;
        node_[lane] = node_in(slot, lane);
        known_[0][lane] = lane_of(row.rapidity, lane);
        known_[1][lane] = lane_of(row.phi, lane);
        clear(lane, slot);
    }

    JETGRAM_INLINE void join(std::int64_t lane, std::int32_t slot, std::int32_t other) {
        joined_[lane] = smallest_.distance2[lane];
        const std::int32_t low = slot < other ? slot : other, high = slot < other ? other : slot;
        const std::int32_t first = node_in(low, lane), second = node_in(high, lane), last = --left_[lane];
        const auto node = static_cast<std::int32_t>(trees_[lane]->join(first, second));
        take_momentum(lane, node);
        target_[lane] = low;
        node_[lane] = node;
        slot_of(first, lane) = slot_of(second, lane) = -1;
        slot_of(node, lane) = low;
        if (high != last) move(lane, last, high);
        clear(lane, last);
        clear(lane, low);
    }

    JETGRAM_INLINE static std::int32_t& lane_of(Words& values, std::int64_t lane) {
        return reinterpret_cast<std::int32_t*>(&values)[lane];
    }
    JETGRAM_INLINE static std::int32_t lane_of(const Words& values, std::int64_t lane) {
        return reinterpret_cast<const std::int32_t*>(&values)[lane];
    }
    JETGRAM_INLINE static float& lane_of(Singles& values, std::int64_t lane) {
        return reinterpret_cast<float*>(&values)[lane];
    }
    JETGRAM_INLINE std::int32_t& node_in(std::int64_t slot, std::int64_t lane) {
        return node_of_[single_width * slot + lane];
    }
    JETGRAM_INLINE std::int32_t& slot_of(std::int64_t node, std::int64_t lane) {
        return slot_of_[single_width * node + lane];
    }

    JETGRAM_INLINE void take_momentum(std::int64_t lane, std::int64_t node) {
        for (int i = 0; i < 4; ++i) momentum_[i][lane] = trees_[lane]->momentum(node)[i];
    }

    JETGRAM_INLINE void move(std::int64_t lane, std::int32_t from, std::int32_t to) {
        UnitRow &source = rows_[from], &row = rows_[to];
        lane_of(row.rapidity, lane) = lane_of(source.rapidity, lane);
        lane_of(row.phi, lane) = lane_of(source.phi, lane);
        lane_of(row.nearest, lane) = lane_of(source.nearest, lane);
        lane_of(row.neighbour, lane) = lane_of(source.neighbour, lane);
        const std::int32_t node = node_in(to, lane) = node_in(from, lane);
        slot_of(node, lane) = to;
    }

    JETGRAM_INLINE void clear(std::int64_t lane, std::int32_t slot) {
        lane_of(rows_[slot].rapidity, lane) = nowhere_in_units;
        lane_of(rows_[slot].nearest, lane) = very_far_in_units;
    }

    JETGRAM_INLINE void place(std::int64_t lane, const Shortest& nearest) {
        UnitRow& row = rows_[target_[lane]];
        lane_of(row.rapidity, lane) = points_.rapidity[lane];
        lane_of(row.phi, lane) = points_.phi[lane];
        lane_of(row.nearest, lane) = nearest.distance2[lane];
        node_in(target_[lane], lane) = node_[lane];
        lane_of(row.neighbour, lane) = node_in(nearest.slot[lane], lane);
    }

    // Jets that were chosen, but are not sure, are in doubt.
    JETGRAM_INLINE void doubt(std::uint64_t chosen, std::uint64_t sure) { doubtful_ |= chosen & ~sure; }

    UnitRow* rows_;
    std::int32_t* node_of_;
    std::int32_t* slot_of_;  // of each node in each lane; -1 where it is gone
    Tree* const* trees_;
    std::int64_t count_;
    std::int32_t most_ = 0;
    std::uint64_t active_ = 0, joins_ = 0, doubtful_ = 0;  // one bit per jet
    Shortest smallest_;                                     // of all distances
    Words lowest_{}, highest_{};                            // azimuths
    UnitPoints points_{};                                   // of this turn
    std::int32_t left_[single_width] = {}, target_[single_width] = {};
    std::int32_t node_[single_width] = {};      // of the points of this turn
    double momentum_[4][single_width] = {};     // of those that are new
    std::int32_t known_[2][single_width] = {};  // rapidity and azimuth of those that are not
    double origin_[2][single_width] = {};       // the same of the first leaves
    float joined_[single_width] = {};           // squared distance of the momenta that are joined
};

static std::uint64_t cluster_in_singles(const StepMemory& memory, Tree* const* trees, std::int64_t count, Power) {
    SinglesInStep jets(memory, trees, count);
    jets.introduce_leaves();
    while (jets.choose_turns()) {
        jets.locate();
        jets.turn();
    }
    return jets.doubtful();
}

}  // namespace jetgram::JETGRAM_PATH
