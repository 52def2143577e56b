// Generalised-kt clustering of several jets in step, one per lane, with infinite radius: many_trees.hpp says when the
// trees are certain.
//
// Neighbours are found late. A momentum whose nearest neighbour is gone keeps its distance, as a lower bound; only when
// this bound is the smallest of all, a new neighbour is searched. So at each turn a jet does one of two things: it joins
// two momenta, or it searches the neighbour of one. For both, one point is compared with all momenta that are left, in
// one loop for all jets.
#pragma once

#include "../tree.hpp"
#include "rows_in_step.hpp"

namespace jetgram::JETGRAM_PATH {

template <Power power>
class InStep {
  public:
    InStep(const StepMemory& memory, Tree* const* trees, std::int64_t count)
        : rows_(static_cast<Row*>(memory.rows)),
          weights_(static_cast<Reals*>(memory.weights)),
          node_of_(memory.node_of),
          slot_of_(memory.slot_of),
          trees_(trees),
          count_(count) {}

    // In this order: the leaves, then turns until there are none left.
    JETGRAM_INLINE void introduce_leaves() {
        for (std::int64_t lane = 0; lane < count_; ++lane) {
            left_[lane] = trees_[lane]->leaves();
            empty_ = left_[lane] > empty_ ? left_[lane] : empty_;
        }
        for (std::int64_t i = 0; i < empty_; ++i) introduce(i);
        smallest_ = fill(very_far);
        Integers slot{};
        for (std::int64_t i = 0; i < empty_; ++i, slot += 1) {
            const Reals& nearest = rows_[i].nearest;
            smallest_ = minimum(numbered(weighted ? nearest * weights_[i] : nearest, slot), smallest_);
        }
    }

    // What each jet does next; false if all are done.
    JETGRAM_INLINE bool choose_turns() {
        std::int64_t slots[width], others[width];
        std::uint64_t joins = 0, searches = 0;
        for (std::int64_t lane = 0; lane < count_; ++lane) {
            const std::uint64_t active = (left_[lane] > 1) & ~(doubtful_ >> lane);
            slots[lane] = number_in(smallest_[lane]);
            others[lane] = slot_of_[width * number_in(lane_of(rows_[slots[lane]].nearest, lane)) + lane];
            const auto lost = static_cast<std::uint64_t>(others[lane] < 0);
            joins |= (active & ~lost & 1) << lane;
            searches |= (active & lost & 1) << lane;
            active_[lane] = -static_cast<std::int64_t>(active & 1);
            joins_[lane] = active_[lane] & ~-static_cast<std::int64_t>(lost);
            target_[lane] = empty_;
        }
        for (std::uint64_t bits = joins; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            join(lane, slots[lane], others[lane]);
        }
        for (std::uint64_t bits = searches; bits != 0; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            search(lane, slots[lane]);
        }
        most_ = 0;
        for (std::int64_t lane = 0; lane < width; ++lane) most_ = left_[lane] > most_ ? left_[lane] : most_;
        return (joins | searches) != 0;
    }

    // Finds out where the points of this turn lie.
    JETGRAM_INLINE void locate() {
        const Choice joined = choice_of(load(joins_));
        const Choice there = choice_of(load(active_));
        const Places at = places_of(load(momentum_[0]), load(momentum_[1]), load(momentum_[2]), load(momentum_[3]));
        const Reals rapidity = choose(joined, at.rapidity, load(known_[0]));
        points_ = {choose(there, rapidity, fill(-nowhere)), choose(joined, at.phi, load(known_[1])),
                   choose(joined, weights(at.pt2), load(known_[2])), load(node_)};
        doubt(joined, at.sure);
    }

    // Compares them with all others, and puts them into their slots.
    JETGRAM_INLINE void turn() {
        const Choice joined = choice_of(load(joins_));
        const View view = compare<weighted>(rows_, weights_, most_, points_);
        doubt(joined, less(load(joined_[0]) * (1 + close_call), view.before));
        doubt(joined, less(fill(least_distance2), load(joined_[1])));
        if constexpr (weighted) doubt_neighbours(joined, view);
        const Reals own = weighted ? view.nearest * points_.weight : view.nearest;
        smallest_ = minimum(numbered(own, load(target_)), view.smallest);
        for (std::int64_t lane = 0; lane < count_; ++lane) place(lane, view);
    }

    // The jets whose trees are not certain, one bit each.
    JETGRAM_INLINE std::uint64_t doubtful() const { return doubtful_; }

  private:
    static constexpr bool weighted = power != Power::cambridge_aachen;

    JETGRAM_INLINE Reals weights(const Reals& pt2) const {
        if constexpr (power == Power::kt) return pt2;
        if constexpr (power == Power::anti_kt) return 1.0 / pt2;
        return fill(1.0);
    }

    // The leaf i of all jets that have so many.
    JETGRAM_INLINE void introduce(std::int64_t i) {
        for (std::int64_t lane = 0; lane < width; ++lane) {
            active_[lane] = -static_cast<std::int64_t>(i < left_[lane]);
            if (active_[lane]) take_momentum(lane, i);
            slot_of_[width * i + lane] = node_in(i, lane) = static_cast<std::int32_t>(i);
        }
        const Choice there = choice_of(load(active_));
        const Places at = places_of(load(momentum_[0]), load(momentum_[1]), load(momentum_[2]), load(momentum_[3]));
        const Points p{choose(there, at.rapidity, fill(-nowhere)), at.phi, weights(at.pt2), Integers{} + i};
        const View view = compare<weighted>(rows_, weights_, i, p);
        doubt(there, at.sure);
        if constexpr (weighted) doubt_neighbours(there, view);
        rows_[i] = {choose(there, p.rapidity, fill(nowhere)), p.phi, choose(there, view.nearest, fill(very_far))};
        if constexpr (weighted) weights_[i] = choose(there, p.weight, fill(1.0));
    }

    JETGRAM_INLINE void search(std::int64_t lane, std::int64_t slot) {
        Row& row = rows_[slot];
        target_[lane] = slot;
        node_[lane] = node_in(slot, lane);
        known_[0][lane] = lane_of(row.rapidity, lane);
        known_[1][lane] = lane_of(row.phi, lane);
        if constexpr (weighted) known_[2][lane] = lane_of(weights_[slot], lane);
        clear(lane, slot);
    }

    JETGRAM_INLINE void join(std::int64_t lane, std::int64_t slot, std::int64_t other) {
        joined_[0][lane] = smallest_[lane];
        joined_[1][lane] = lane_of(rows_[slot].nearest, lane);
        if constexpr (weighted) require_pair(lane, slot, other);
        const std::int64_t low = slot < other ? slot : other, high = slot < other ? other : slot;
        const std::int64_t first = node_in(low, lane), second = node_in(high, lane);
        const std::int64_t last = --left_[lane], node = trees_[lane]->join(first, second);
        take_momentum(lane, node);
        target_[lane] = low;
        node_[lane] = node;
        slot_of_[width * first + lane] = slot_of_[width * second + lane] = -1;
        slot_of_[width * node + lane] = static_cast<std::int32_t>(low);
        if (high != last) move(lane, last, high);
        clear(lane, last);
        clear(lane, low);
    }

    // With weights, the other one may be about to be joined with a third.
    JETGRAM_INLINE void require_pair(std::int64_t lane, std::int64_t slot, std::int64_t other) {
        const double nearest = lane_of(rows_[other].nearest, lane);
        const bool soon = nearest * lane_of(weights_[other], lane) <= smallest_[lane] * (1 + close_call);
        if (soon && number_in(nearest) != node_in(slot, lane)) doubtful_ |= std::uint64_t{1} << lane;
    }

    JETGRAM_INLINE std::int32_t& node_in(std::int64_t slot, std::int64_t lane) { return node_of_[width * slot + lane]; }

    JETGRAM_INLINE void take_momentum(std::int64_t lane, std::int64_t node) {
        for (int i = 0; i < 4; ++i) momentum_[i][lane] = trees_[lane]->momentum(node)[i];
    }

    JETGRAM_INLINE void move(std::int64_t lane, std::int64_t from, std::int64_t to) {
        Row &source = rows_[from], &row = rows_[to];
        lane_of(row.rapidity, lane) = lane_of(source.rapidity, lane);
        lane_of(row.phi, lane) = lane_of(source.phi, lane);
        if constexpr (weighted) lane_of(weights_[to], lane) = lane_of(weights_[from], lane);
        lane_of(row.nearest, lane) = lane_of(source.nearest, lane);
        const std::int64_t node = node_in(to, lane) = node_in(from, lane);
        slot_of_[width * node + lane] = static_cast<std::int32_t>(to);
    }

    JETGRAM_INLINE void clear(std::int64_t lane, std::int64_t slot) {
        lane_of(rows_[slot].rapidity, lane) = nowhere;
        lane_of(rows_[slot].nearest, lane) = very_far;
    }

    JETGRAM_INLINE void place(std::int64_t lane, const View& view) {
        const std::int64_t slot = target_[lane];
        const Points& p = points_;
        Row& row = rows_[slot];
        lane_of(row.rapidity, lane) = p.rapidity[lane];
        lane_of(row.phi, lane) = p.phi[lane];
        if constexpr (weighted) lane_of(weights_[slot], lane) = p.weight[lane];
        node_in(slot, lane) = static_cast<std::int32_t>(p.node[lane]);
        // The neighbour's node in the place of its slot.
        const auto bits = std::bit_cast<std::int64_t>(view.nearest[lane]);
        const std::int64_t node = node_in(bits & number_bits, lane);
        lane_of(row.nearest, lane) = std::bit_cast<double>((bits & ~number_bits) | node);
    }

    // Jets that were chosen, but are not sure, are in doubt.
    JETGRAM_INLINE void doubt(const Choice& chosen, const Choice& sure) {
        doubtful_ |= bits_of(chosen) & ~bits_of(sure);
    }

    JETGRAM_INLINE void doubt_neighbours(const Choice& chosen, const View& view) {
        const Choice alone = equal(view.nearest, fill(very_far));
        doubt(chosen, less(view.nearest * (1 + close_call), view.second) | alone);
        doubt(chosen, less(Reals{}, view.margin));
    }

    Row* rows_;
    Reals* weights_;
    std::int32_t* node_of_;
    std::int32_t* slot_of_;  // of each node in each lane; -1 where it is gone
    Tree* const* trees_;
    std::int64_t count_, most_ = 0;
    std::int64_t empty_ = 0;  // a slot behind all others, for jets that are done
    std::uint64_t doubtful_ = 0;
    Reals smallest_{};  // d_ij in each lane, with its slot
    Points points_;     // of this turn
    std::int64_t left_[width] = {}, target_[width] = {}, active_[width] = {}, joins_[width] = {};
    std::int64_t node_[width] = {};   // of the points of this turn
    double momentum_[4][width] = {};  // of those that are new
    double known_[3][width] = {};     // rapidity, azimuth and weight of those that are not
    double joined_[2][width] = {};    // d_ij and distance of the momenta that are joined
};


// Two vectors of jets in turns: while the coordinates of one are computed, the other one need not wait.
template <Power power>
JETGRAM_INLINE std::uint64_t build_in_step(const StepMemory& memory, Tree* const* trees, std::int64_t count) {
    const std::int64_t half = count < width ? count : width, rows = memory.rows_of_vector;
    const StepMemory rest{static_cast<Row*>(memory.rows) + rows, static_cast<Reals*>(memory.weights) + rows,
                          memory.node_of + width * rows, memory.slot_of + 2 * width * rows, rows};
    InStep<power> first(memory, trees, half), second(rest, trees + half, count - half);
    first.introduce_leaves();
    second.introduce_leaves();
    for (;;) {
        const bool more = first.choose_turns();
        if (!(second.choose_turns() | more)) break;
        first.locate();
        second.locate();
        first.turn();
        second.turn();
    }
    return first.doubtful() | second.doubtful() << width;
}

static std::uint64_t cluster_in_step(const StepMemory& memory, Tree* const* trees, std::int64_t count, Power power) {
    if (power == Power::kt) return build_in_step<Power::kt>(memory, trees, count);
    if (power == Power::anti_kt) return build_in_step<Power::anti_kt>(memory, trees, count);
    return build_in_step<Power::cambridge_aachen>(memory, trees, count);
}

}  // namespace jetgram::JETGRAM_PATH
