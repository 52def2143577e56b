// The momenta of several jets in step, one jet per lane: in_step.hpp clusters them.
#pragma once

#include "kernels.hpp"
#include "plane.hpp"
#include "vector_math.hpp"

namespace jetgram::JETGRAM_PATH {

// A distance carries a number, of a slot or of a node, in its last bits: so the smallest one says whose it is.
inline constexpr std::int64_t number_bits = (std::int64_t{1} << 12) - 1;
static_assert(2 * most_leaves_in_step <= number_bits);

JETGRAM_INLINE Reals numbered(const Reals& distance, const Integers& number) {
    const auto bits = reinterpret_cast<Integers>(distance);
#if JETGRAM_LANES == 8
    constexpr int table = 0xdc;  // of (a & ~c) | b, in one instruction, which the compiler does not find
    const auto a = reinterpret_cast<__m512i>(bits), b = reinterpret_cast<__m512i>(number);
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(a, b, _mm512_set1_epi64(number_bits), table));
#else
    return reinterpret_cast<Reals>((bits & ~number_bits) | number);
#endif
}

JETGRAM_INLINE std::int64_t number_in(double distance) { return std::bit_cast<std::int64_t>(distance) & number_bits; }

// Empty slots lie here, and points that are not there on the other side: far from each other and from everything.
// Finite, since infinity with a number would be none.
inline constexpr double nowhere = 1e150;
inline constexpr auto very_far = std::bit_cast<double>(std::bit_cast<std::int64_t>(1e200) & ~number_bits);

JETGRAM_INLINE double& lane_of(Reals& values, std::int64_t lane) { return reinterpret_cast<double*>(&values)[lane]; }
JETGRAM_INLINE std::int64_t& lane_of(Integers& values, std::int64_t lane) {
    return reinterpret_cast<std::int64_t*>(&values)[lane];
}

// The momentum in one slot of each jet.
struct Row {
    Reals rapidity, phi;
    Reals nearest;  // squared distance to the nearest neighbour, with its node; a lower bound where that is gone
};

static_assert(sizeof(Row) <= numbers_per_row * sizeof(Reals));

// One momentum of each jet.
struct Points {
    Reals rapidity, phi, weight;
    Integers node;
};

// What points see of the others. Distances have the number of the slot that they belong to.
struct View {
    Reals nearest, second;  // squared distances of the points
    Reals smallest;         // d_ij of the others, once the points are there
    Reals before;           // and before
    Reals margin;           // below 0 where a point is about as near as the neighbour that another one had
};

JETGRAM_INLINE Reals distance2(const Row& row, const Points& p) {
    const Reals longitudinal = row.rapidity - p.rapidity;
    const Reals difference = absolute(row.phi - p.phi);
    const Reals transverse = minimum(difference, two_pi - difference);
    return multiply_add(transverse, transverse, longitudinal * longitudinal);
}

// Compares points with the first rows, and offers them as neighbours. Without weights, which neighbour is the nearest
// need not be sure: near-ties show among the smallest distances.
template <bool weighted>
JETGRAM_INLINE View compare(Row* rows, const Reals* weights, std::int64_t count, const Points& p) {
    const Reals far = fill(very_far);
    View view{far, far, far, far, far};
    Integers slot{};
    for (std::int64_t i = 0; i < count; ++i, slot += 1) {
        Row& row = rows[i];
        const Reals distance = distance2(row, p), old = row.nearest, own = numbered(distance, slot);
        row.nearest = minimum(numbered(distance, p.node), old);
        if constexpr (weighted) {
            view.second = minimum(maximum(own, view.nearest), view.second);
            view.margin = minimum(absolute(distance - old) - close_call * old, view.margin);
        }
        view.before = minimum(weighted ? old * weights[i] : old, view.before);
        view.smallest = minimum(numbered(weighted ? row.nearest * weights[i] : row.nearest, slot), view.smallest);
        view.nearest = minimum(own, view.nearest);
    }
    return view;
}

// Where momenta lie, almost: to about 1e-14. Those for which that is not sure are put to (0, 0), or somewhere.
struct Places {
    Reals rapidity, phi, pt2;
    Choice sure;
};

JETGRAM_INLINE Places places_of(const Reals& px, const Reals& py, const Reals& pz, const Reals& energy) {
    const Reals pt2 = px * px + py * py;
    const Reals longitudinal = absolute(pz);
    const Reals mass2 = (energy + pz) * (energy - pz) - pt2;
    const Reals light_cone = energy + longitudinal;
    const Reals ratio = (pt2 + maximum(mass2, Reals{})) / (light_cone * light_cone);
    const Choice sure = less(fill(1e-17), ratio) & less(ratio, fill(1e17)) &  // |y| < 20
                        less(fill(1e-30), pt2) & less(pt2, fill(1e30));
    const Reals size = -0.5 * logarithm<Quick>(choose(sure, ratio, fill(1.0)));
    const Reals phi = arctangent2<Quick>(py, choose(sure, px, fill(1.0)));
    return {choose(less(Reals{}, pz), size, -size), choose(less(phi, Reals{}), phi + two_pi, phi), pt2, sure};
}

}  // namespace jetgram::JETGRAM_PATH
