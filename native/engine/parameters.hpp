// Parameters in the two layouts they live in: flat and dense, as PyTorch holds them; packed and padded, as kernels
// read.
#pragma once

#include <string>
#include <vector>

#include "aligned.hpp"
#include "panels.hpp"
#include "path.hpp"

namespace jetgram::engine {

// Neighbouring units of an axis, and where they begin: without padding, and with it.
struct Run {
    int dense;
    int padded;
    int length;
};

// One axis of a weight matrix: blocks of units, each padded to whole vectors.
struct Axis {
    std::vector<int> blocks;
    PanelShape shape;  // of the panels that its units are the columns of

    int size() const;
    int padded() const;
    std::vector<Run> runs() const;  // one a block
};

// An affine map's place among the flat parameters: W (out, in) row by row, then b (out), if it has one.
struct LinearSpec {
    std::string weight;
    std::string bias;  // empty where there is none
    Axis in;
    Axis out;
    bool propagates;  // whether a gradient flows to its input

    std::size_t size() const { return static_cast<std::size_t>(in.size() + has_bias()) * out.size(); }
    bool has_bias() const { return !bias.empty(); }
};

std::size_t parameter_count(const std::vector<LinearSpec>& maps);

// The weights of all maps, packed from a flat vector; `backward` also packs what the backward pass needs.
class PackedWeights {
   public:
    PackedWeights(const std::vector<LinearSpec>& maps, const float* flat, bool backward);
    const std::vector<Linear>& linears() const { return linears_; }

   private:
    AlignedFloats memory_;
    std::vector<Linear> linears_;
};

// Packed gradients of all maps in several lanes. A lane sums its share of the batch in a fixed order; `reduce` sums the
// lanes in a fixed order: the result does not depend on which thread worked on which lane.
class LaneGradients {
   public:
    LaneGradients(const std::vector<LinearSpec>& maps, int lanes);

    // The maps with the gradients of this lane, set to zero.
    std::vector<Linear> open(int lane, const std::vector<Linear>& weights);
    // Sums the lanes and writes the flat gradient.
    void reduce(float* flat);

   private:
    const std::vector<LinearSpec>& maps_;
    int lanes_;
    std::size_t lane_size_ = 0;
    AlignedFloats memory_;
};

}  // namespace jetgram::engine
