// The generalised-kt trees of many jets, with infinite radius: the same as those of GeneralisedKt, in half the time.
//
// Jets are clustered in step, one per lane, with coordinates from vector functions. These are not FastJet's to the last
// bit: rapidities (below 20) and azimuths differ by up to 1e-14, so squared distances D^2 by up to 1e-13 D. Which two
// momenta are nearest does not depend on that, unless others are as near, up to a fraction of 1e-8 of D^2, or D is below
// 3e-5. Such a tree is in doubt, and built again by GeneralisedKt with the exact coordinates; so are all others, where
// most are in doubt, as those of pixels on a grid.
//
// Cambridge/Aachen is tried in single precision first, where about one tree in a thousand is in doubt, and then in step
// with doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "generalised_kt.hpp"
#include "tree.hpp"

namespace jetgram {

class ManyTrees {
  public:
    explicit ManyTrees(Power power);

    // Trees without joins become whole. Returns how many were in doubt.
    std::int64_t build(std::span<Tree> trees);

  private:
    struct alignas(64) CacheLine {
        std::byte bytes[64];
    };

    using Clustering = std::uint64_t (*)(const StepMemory&, Tree* const*, std::int64_t, Power);

    // One way to cluster jets in step.
    struct Step {
        Clustering cluster;
        std::int64_t jets;
        std::int64_t tried = 0, doubtful = 0, passed_over = 0;

        // Where most trees are in doubt, not; but other jets may come, and now and then it is tried again.
        bool worth_trying() {
            if (2 * doubtful <= tried || tried < 32) return true;
            if (++passed_over == 64) tried = doubtful = passed_over = 0;
            return false;
        }
    };

    // Builds those trees in order_ that are small enough, if that is worth trying and there are so many of them; the others
    // stay, in their order. Returns how many of those that were tried stay.
    std::optional<std::int64_t> build_in_step(Step& step, std::int64_t least);
    void build_some(Step& step, std::span<Tree*> trees);
    StepMemory memory_for(std::int64_t leaves, std::int64_t jets);

    Power power_;
    GeneralisedKt exact_;
    Step singles_, doubles_;
    std::vector<Tree*> order_, left_;
    std::vector<CacheLine> rows_, weights_;
    std::vector<std::int32_t> node_of_, slot_of_;
};

}  // namespace jetgram
