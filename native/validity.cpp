#include "validity.hpp"

#include <algorithm>
#include <atomic>

#include "threads.hpp"

namespace jetgram {

namespace {

constexpr std::int64_t momenta_at_a_time = 1 << 16;

}  // namespace

bool all_physical(const double* momenta, std::int64_t n, double rounding, double largest, int threads) {
    std::atomic<bool> good{true};
    parallel_blocks(n, momenta_at_a_time, threads, [&](std::int64_t begin, std::int64_t end, int) {
        bool all = true;
        for (std::int64_t i = begin; i < end; ++i) all &= is_physical(momenta + 4 * i, rounding, largest);
        if (!all) good = false;
    });
    return good;
}

const char* fault_of(const double* p) {
    if (std::any_of(p, p + 4, [](double x) { return std::isnan(x); })) return "NaN";
    if (std::any_of(p, p + 4, [](double x) { return std::isinf(x); })) return "inf";
    const double size = size_of(p);
    if (p[3] >= LARGEST || size >= LARGEST) return "too large";
    if (p[3] == 0 && size == 0) return "zero momentum";
    return p[3] < 0 ? "E < 0" : "E < |p|";
}

void settle_energies(double* momenta, std::int64_t n, double least, double most) {
    for (double* p = momenta; p < momenta + 4 * n; p += 4) {
        const double size = size_of(p);
        if (size > p[3] * (1 + least) && size <= p[3] * (1 + most) && p[3] > 0 && size < LARGEST) p[3] = size;
    }
}

}  // namespace jetgram
