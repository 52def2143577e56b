// One tree under construction, in its place in the arrays of all trees.
#pragma once

#include <cstdint>
#include <cstring>

#include "coordinates.hpp"
#include "inlining.hpp"

namespace jetgram {

// The nodes of one jet: leaves 0..n-1 as given, then each join's node. The left child is the one of higher pT; of equal
// pT, the lower index.
class Tree {
  public:
    Tree(double* momenta, std::int32_t* children, const double* leaves, std::int64_t n)
        : momenta_(momenta), children_(children), leaves_(n), size_(n) {
        std::memcpy(momenta, leaves, 4 * n * sizeof(double));
        for (std::int64_t i = 0; i < 2 * n; ++i) children[i] = -1;
    }

    JETGRAM_INLINE std::int64_t leaves() const { return leaves_; }
    JETGRAM_INLINE std::int64_t size() const { return size_; }  // nodes so far
    JETGRAM_INLINE const double* momentum(std::int64_t node) const { return momenta_ + 4 * node; }
    JETGRAM_INLINE double pt2(std::int64_t node) const { return pt2_of(momentum(node)); }

    // Adds the node that joins two others, and returns its index.
    JETGRAM_INLINE std::int64_t join(std::int64_t a, std::int64_t b) {
        const double* p = momentum(a);
        const double* q = momentum(b);
        double* sum = momenta_ + 4 * size_;
        *reinterpret_cast<Four*>(sum) = *reinterpret_cast<const Four*>(p) + *reinterpret_cast<const Four*>(q);
        const double pt2_a = pt2_of(p);
        const double pt2_b = pt2_of(q);
        const bool a_left = (pt2_a > pt2_b) | ((pt2_a == pt2_b) & (a < b));
        std::int32_t* children = children_ + 2 * size_;
        // By arithmetic: which is the harder one, no processor can guess.
        const std::int64_t swapped = (a ^ b) & -static_cast<std::int64_t>(!a_left);
        children[0] = static_cast<std::int32_t>(a ^ swapped);
        children[1] = static_cast<std::int32_t>(b ^ swapped);
        return size_++;
    }

    // Without any joins.
    void restart() { size_ = leaves_; }

  private:
    typedef double Four __attribute__((vector_size(4 * sizeof(double)), aligned(alignof(double)), may_alias));

    double* momenta_;
    std::int32_t* children_;
    std::int64_t leaves_;
    std::int64_t size_;
};

}  // namespace jetgram
