#include "cleaning.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "checks.hpp"
#include "generalised_kt.hpp"
#include "kernels/kernels.hpp"
#include "threads.hpp"
#include "validity.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;

// Finds out quickly, for most jets, that no two directions are closer than a distance in pseudorapidity and azimuth.
//
// With the direction (cos phi, sin phi, sinh eta), a distance D apart: |Delta (cos, sin)| <= |Delta phi|, and
// |Delta sinh eta| <= |Delta eta| cosh(eta_i) e^D. So no logarithm and no arc tangent is needed.
class CloseDirections {
  public:
    explicit CloseDirections(double distance) : shrink_(std::exp(-distance)) {
        const double limit = distance + rounding;
        limit2_ = static_cast<float>(limit * limit);
    }

    // False where it is sure that none are closer.
    bool may_be_close(const double* momenta, std::int64_t n) {
        for (auto* column : {&x_, &y_, &z_, &weight_}) column->resize(n + most_lanes_of_singles);
        return kernels().may_be_close(momenta, n, {x_.data(), y_.data(), z_.data(), weight_.data(), shrink_, limit2_});
    }

  private:
    static constexpr double rounding = 2e-6;  // of single precision

    double shrink_;
    float limit2_;
    std::vector<float> x_, y_, z_, weight_;
};

// Constituents closer than a distance, joined as Cambridge/Aachen with that radius joins massless momenta: nearest
// first, until all are farther apart. Most jets have no such pair, and need no clustering.
class Merging {
  public:
    explicit Merging(double distance)
        : directions_(distance), distance2_(distance * distance), clustering_(Power::cambridge_aachen, distance) {}

    // Whether any are joined; then group[i] becomes the lowest index of the constituents that are joined with i.
    bool find(const double* momenta, std::int64_t n, std::vector<std::int64_t>& group) {
        if (!directions_.may_be_close(momenta, n)) return false;
        fill_massless(momenta, n);
        if (!any_close(n)) return false;
        nodes_.resize(8 * n);
        children_.resize(4 * n);
        Tree tree(nodes_.data(), children_.data(), massless_.data(), n);
        clustering_.build(tree, places_.data());
        join(n, tree.size(), group);
        return true;
    }

  private:
    bool close(std::int64_t i, std::int64_t j) const {
        const double longitudinal = places_[i].rapidity - places_[j].rapidity;
        const double difference = std::abs(places_[i].phi - places_[j].phi);
        const double transverse = std::min(difference, two_pi - difference);
        return transverse * transverse + longitudinal * longitudinal < distance2_;
    }

    void fill_massless(const double* momenta, std::int64_t n) {
        massless_.assign(momenta, momenta + 4 * n);
        places_.resize(n);
        for (std::int64_t i = 0; i < n; ++i) {
            double* p = massless_.data() + 4 * i;
            p[3] = size_of(p);
            places_[i] = place_of(p, pt2_of(p));
        }
    }

    bool any_close(std::int64_t n) const {
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < i; ++j)
                if (close(i, j)) return true;
        return false;
    }

    // The inner nodes are those that were joined.
    void join(std::int64_t n, std::int64_t nodes, std::vector<std::int64_t>& group) {
        lowest_.resize(nodes);
        std::iota(lowest_.begin(), lowest_.begin() + n, 0);
        for (std::int64_t node = n; node < nodes; ++node)
            lowest_[node] = std::min(lowest_[children_[2 * node]], lowest_[children_[2 * node + 1]]);
        for (std::int64_t node = nodes - 1; node >= n; --node)
            for (int side = 0; side < 2; ++side) lowest_[children_[2 * node + side]] = lowest_[node];
        group.assign(lowest_.begin(), lowest_.begin() + n);
    }

    CloseDirections directions_;
    double distance2_;
    GeneralisedKt clustering_;
    std::vector<double> massless_, nodes_;
    std::vector<std::int32_t> children_;
    std::vector<Place> places_;
    std::vector<std::int64_t> lowest_;
};

// The sum of each group at its lowest index, and the number of its hardest member; -1 elsewhere.
void add_up(const double* momenta, const std::vector<std::int64_t>& group, double* sums, std::int64_t* hardest) {
    const auto n = static_cast<std::int64_t>(group.size());
    for (std::int64_t i = 0; i < n; ++i) {
        const double* p = momenta + 4 * i;
        double* sum = sums + 4 * group[i];
        if (group[i] == i) {
            for (int k = 0; k < 4; ++k) sum[k] = p[k];
            hardest[i] = i;
            continue;
        }
        hardest[i] = -1;
        for (int k = 0; k < 4; ++k) sum[k] += p[k];
        sum[3] = std::max(sum[3], size_of(sum));
        std::int64_t& best = hardest[group[i]];
        if (pt2_of(p) > pt2_of(momenta + 4 * best)) best = i;
    }
}

// The same where none are joined.
void take_over(const double* momenta, std::int64_t n, double* sums, std::int64_t* hardest) {
    std::copy_n(momenta, 4 * n, sums);
    std::iota(hardest, hardest + n, 0);
}

// Marks what is below the limit with -1; the hardest stays.
void drop_soft(const double* sums, std::int64_t n, double min_pt2, std::int64_t* hardest) {
    std::int64_t best = -1;
    double best_pt2 = -1;
    for (std::int64_t i = 0; i < n; ++i) {
        if (hardest[i] < 0 || !(pt2_of(sums + 4 * i) > best_pt2)) continue;
        best = i;
        best_pt2 = pt2_of(sums + 4 * i);
    }
    const std::int64_t kept = hardest[best];
    // Without branches: softness is nothing to guess. Sums of what was joined with others are not written: any number
    // may be there, and -1 stays -1.
    for (std::int64_t i = 0; i < n; ++i)
        hardest[i] |= -static_cast<std::int64_t>(pt2_of(sums + 4 * i) < min_pt2);
    hardest[best] = kept;
}

}  // namespace

void clean(const double* momenta, const std::int64_t* offsets, std::int64_t jets, double min_pt, double distance,
           int threads, double* sums, std::int64_t* hardest) {
    parallel_blocks(jets, jets_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        expect_components(momenta, offsets[begin], offsets[end]);
        Merging merging(distance);  // with the memory of its clustering
        std::vector<std::int64_t> group;
        for (std::int64_t jet = begin; jet < end; ++jet) {
            const std::int64_t first = offsets[jet], n = offsets[jet + 1] - first;
            if (merging.find(momenta + 4 * first, n, group))
                add_up(momenta + 4 * first, group, sums + 4 * first, hardest + first);
            else
                take_over(momenta + 4 * first, n, sums + 4 * first, hardest + first);
            drop_soft(sums + 4 * first, n, min_pt * min_pt, hardest + first);
            for (std::int64_t i = first; i < first + n; ++i)
                if (hardest[i] >= 0) hardest[i] += first;
        }
    });
}

void compress(const std::int64_t* offsets, std::int64_t jets, double* sums, std::int64_t* hardest,
              std::int64_t* new_offsets) {
    std::int64_t to = 0;
    for (std::int64_t jet = 0; jet < jets; ++jet) {
        new_offsets[jet] = to;
        for (std::int64_t from = offsets[jet]; from < offsets[jet + 1]; ++from) {
            // Written in any case, and kept by counting on: without branches. It is never behind what is read next.
            const std::int64_t number = hardest[from];
            std::memmove(sums + 4 * to, sums + 4 * from, 4 * sizeof(double));
            hardest[to] = number;
            to += number >= 0;
        }
    }
    new_offsets[jets] = to;
}

}  // namespace jetgram
