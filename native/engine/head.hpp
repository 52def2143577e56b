// The network after the embedding: affine maps with rectifiers between them, on a few rows at a time.
#pragma once

#include <vector>

#include "aligned.hpp"
#include "loss.hpp"
#include "parameters.hpp"
#include "path.hpp"

namespace jetgram::engine {

// widths = [inputs, ..., outputs]; an empty or single width is no head. The inputs are so many states of one length.
std::vector<LinearSpec> head_maps(const std::vector<int>& widths, const Path& path, int states = 1);

// What the outputs of some rows should be.
struct Target {
    const float* values;   // (rows, outputs)
    const float* weights;  // (rows)
    int outputs;
    Loss loss;
};

// The activations of one chunk. One object serves many chunks, one after the other.
class HeadPass {
   public:
    // Outputs (rows, padded outputs) of the embeddings x (rows, padded inputs).
    float* forward(const Path& path, const Linear* maps, int count, int rows, const float* x);
    // The loss sum_i weight_i loss_i, with loss_i the mean over outputs t of loss(output_it, target_it), or their
    // cross-entropy: adds to the maps' gradients and sets dx.
    double step(const Path& path, const Linear* maps, int count, int rows, const float* x, const Target& target,
                float* dx);

   private:
    // From the gradient of the outputs, which it overwrites: adds to the maps' gradients and sets dx.
    void backward(const Path& path, const Linear* maps, int count, int rows, const float* x, float* dx);

    AlignedFloats memory_, gradient_;
    std::vector<float*> activation_;  // (count) the output of each map
};

}  // namespace jetgram::engine
