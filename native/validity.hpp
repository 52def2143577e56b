// Which momenta can be physical: the twin of validity.py.
#pragma once

#include <cmath>
#include <cstdint>

#include "coordinates.hpp"

namespace jetgram {

// E may fall short of |p| by what float32 storage or a few sums in float64 leave: relative to E.
inline constexpr double ROUNDING = 1e-6;
// What is beyond this is the rounding of float32, not of float64.
inline constexpr double SINGLE_PRECISION = 1e-8;
// In GeV. Squares of sums over momenta below it, and products of such squares with angles, stay finite.
inline constexpr double LARGEST = 1e100;

inline double size_of(const double* p) { return std::sqrt(pt2_of(p) + p[2] * p[2]); }

// False for NaN as well.
inline bool is_physical(const double* p, double rounding = ROUNDING, double largest = LARGEST) {
    return size_of(p) <= p[3] * (1 + rounding) && p[3] > 0 && p[3] < largest;
}

// Whether all n momenta are physical.
bool all_physical(const double* momenta, std::int64_t n, double rounding, double largest, int threads);

// What is wrong with a momentum that is not physical.
const char* fault_of(const double* p);

// Sets E = |p| where |p| is more than `least`, at most `most` above E, relative to E.
void settle_energies(double* momenta, std::int64_t n, double least, double most);

}  // namespace jetgram
