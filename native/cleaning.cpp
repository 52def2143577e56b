#include "cleaning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "checks.hpp"
#include "generalised_kt.hpp"
#include "plane.hpp"
#include "threads.hpp"
#include "validity.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t jets_at_a_time = 64;

// Finds out quickly, for most jets, that no two directions are closer than a distance in pseudorapidity and azimuth.
//
// With the direction (cos phi, sin phi, sinh eta), a distance D apart: |Delta (cos, sin)| <= |Delta phi|, and
// |Delta sinh eta| <= |Delta eta| cosh(eta_i) e^D. So no logarithm and no arc tangent is needed.
class Directions {
  public:
    explicit Directions(double distance) : shrink_(std::exp(-distance)) {
        const double limit = distance + rounding;
        limit2_ = limit * limit;
    }

    // False where it is sure that none are closer.
    bool may_be_close(const double* momenta, std::int64_t n) {
        for (auto* column : {&cos_, &sin_, &sinh_, &parked_}) column->resize(padded(n));
        std::fill(sinh_.begin(), sinh_.end(), std::numeric_limits<double>::infinity());  // empty places
        for (std::int64_t i = 0; i < n; ++i) {
            const double* p = momenta + 4 * i;
            if (!(pt2_of(p) > least_pt2)) return true;
            const double inverse = 1 / std::sqrt(pt2_of(p));
            cos_[i] = p[0] * inverse;
            sin_[i] = p[1] * inverse;
            parked_[i] = p[2] * inverse;
            if (!(std::abs(parked_[i]) < steepest)) return true;
        }
        std::fill(cos_.begin() + n, cos_.end(), 0.0);
        std::fill(sin_.begin() + n, sin_.end(), 0.0);
#if defined(__x86_64__)
        if (use_four_lanes()) return compare_avx2(n);
#endif
        return compare<Two>(n);
    }

  private:
    // Near the beam, and where squares lose digits, nothing is sure.
    static constexpr double rounding = 1e-6, steepest = 1e4, least_pt2 = 1e-290;

    template <class V>
    JETGRAM_INLINE bool compare(std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            const double weight = shrink_ / std::sqrt(1 + parked_[i] * parked_[i]);
            Mask<V> close{};
            for (std::int64_t j = 0; j < i; j += width<V>) {
                const V x = load<V>(&cos_[j]) - cos_[i], y = load<V>(&sin_[j]) - sin_[i];
                const V z = (load<V>(&sinh_[j]) - parked_[i]) * weight;
                close |= x * x + y * y + z * z < limit2_;
            }
            if (union_of<V>(close)) return true;
            sinh_[i] = parked_[i];
        }
        return false;
    }

#if defined(__x86_64__)
    [[gnu::target("avx2")]] bool compare_avx2(std::int64_t n) { return compare<Four>(n); }
#endif

    double shrink_, limit2_;
    std::vector<double> cos_, sin_, sinh_, parked_;
};

// Constituents closer than a distance, joined as Cambridge/Aachen with that radius joins massless momenta: nearest
// first, until all are farther apart. These are the nodes of the tree without a radius below which all branches are
// closer. Most jets have no such pair, and need no tree.
class Merging {
  public:
    explicit Merging(double distance)
        : directions_(distance), distance2_(distance * distance), clustering_(Power::cambridge_aachen) {}

    // group[i] becomes the lowest index of the constituents that are joined with i.
    void find(const double* momenta, std::int64_t n, std::vector<std::int64_t>& group) {
        group.resize(n);
        for (std::int64_t i = 0; i < n; ++i) group[i] = i;
        if (!directions_.may_be_close(momenta, n)) return;
        fill_massless(momenta, n);
        if (!any_close(n)) return;
        nodes_.resize(8 * n);
        children_.resize(4 * n);
        Tree tree(nodes_.data(), children_.data(), massless_.data(), n);
        clustering_.build(tree);
        join(n, group);
    }

  private:
    static Point point_of(const double* p) {
        const double pt2 = pt2_of(p);
        return {rapidity_of(p, pt2), azimuth_of(p, pt2), 1.0};
    }

    void fill_massless(const double* momenta, std::int64_t n) {
        massless_.assign(momenta, momenta + 4 * n);
        points_.resize(n);
        for (std::int64_t i = 0; i < n; ++i) {
            double* p = massless_.data() + 4 * i;
            p[3] = size_of(p);
            points_[i] = point_of(p);
        }
    }

    bool any_close(std::int64_t n) const {
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < i; ++j)
                if (distance2(points_[i].rapidity, points_[i].phi, points_[j]) < distance2_) return true;
        return false;
    }

    void join(std::int64_t n, std::vector<std::int64_t>& group) {
        const std::int64_t nodes = 2 * n - 1;
        points_.resize(nodes);
        lowest_.resize(nodes);
        joined_.assign(nodes, 1);
        for (std::int64_t i = 0; i < n; ++i) lowest_[i] = i;
        for (std::int64_t node = n; node < nodes; ++node) {
            points_[node] = point_of(nodes_.data() + 4 * node);
            const std::int32_t left = children_[2 * node], right = children_[2 * node + 1];
            const bool close =
                distance2(points_[left].rapidity, points_[left].phi, points_[right]) < distance2_;
            joined_[node] = close && joined_[left] && joined_[right];
            lowest_[node] = std::min(lowest_[left], lowest_[right]);
        }
        for (std::int64_t node = nodes - 1; node >= n; --node)
            if (joined_[node])
                for (int side = 0; side < 2; ++side) lowest_[children_[2 * node + side]] = lowest_[node];
        for (std::int64_t i = 0; i < n; ++i) group[i] = lowest_[i];
    }

    Directions directions_;
    double distance2_;
    GeneralisedKt clustering_;
    std::vector<double> massless_, nodes_;
    std::vector<std::int32_t> children_;
    std::vector<Point> points_;
    std::vector<std::int64_t> lowest_;
    std::vector<char> joined_;
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

// Marks what is below the limit with -1; the hardest stays.
void drop_soft(const double* sums, std::int64_t n, double min_pt2, std::int64_t* hardest) {
    std::int64_t best = -1;
    for (std::int64_t i = 0; i < n; ++i)
        if (hardest[i] >= 0 && (best < 0 || pt2_of(sums + 4 * i) > pt2_of(sums + 4 * best))) best = i;
    for (std::int64_t i = 0; i < n; ++i)
        if (i != best && pt2_of(sums + 4 * i) < min_pt2) hardest[i] = -1;
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
            merging.find(momenta + 4 * first, n, group);
            add_up(momenta + 4 * first, group, sums + 4 * first, hardest + first);
            drop_soft(sums + 4 * first, n, min_pt * min_pt, hardest + first);
            for (std::int64_t i = first; i < first + n; ++i)
                if (hardest[i] >= 0) hardest[i] += first;
        }
    });
}

}  // namespace jetgram
