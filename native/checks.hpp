// The border of the native core: whatever is indexed with is checked here first, once a call, in one place.
//
// Kernels behind the border trust what they get. Every function throws std::invalid_argument with what was found and
// what was expected; none of them depends on Python.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace jetgram {

inline constexpr int MAX_THREADS = 1024;
inline constexpr std::int64_t MAX_UNITS = 1 << 14;    // of a layer
inline constexpr std::int64_t MAX_LAYERS = 64;        // of a head
inline constexpr std::int64_t MAX_CHUNK = 1 << 12;    // trees worked on together
inline constexpr std::int64_t MAX_LEAVES = 1 << 30;   // of a jet: its nodes are numbered by 32 bits
inline constexpr std::int64_t MAX_INT = (std::int64_t{1} << 31) - 1;
inline constexpr double MAX_COMPONENT = 1e101;        // of a momentum: rapidities and their squares stay finite

[[noreturn]] inline void refuse(const std::string& what, const std::string& found, const std::string& expected) {
    throw std::invalid_argument(what + ": found " + found + ", expected " + expected);
}

inline void expect(std::size_t found, std::size_t expected, const char* what) {
    if (found != expected) refuse(what, std::to_string(found), std::to_string(expected));
}

inline void expect_range(std::int64_t found, std::int64_t least, std::int64_t most, const char* what) {
    if (found < least || found > most)
        refuse(what, std::to_string(found), std::to_string(least) + " to " + std::to_string(most));
}

inline void expect_threads(int threads) { expect_range(threads, 1, MAX_THREADS, "threads"); }

// Offsets from 0 to `rows` that cut groups of at least `least` and at most `most` rows; returns how many groups.
inline std::int64_t expect_offsets(const std::int64_t* offsets, std::size_t length, std::size_t rows,
                                   std::int64_t least, std::int64_t most, const char* what = "offsets") {
    if (length < 1) refuse(what, "none", "one more than groups");
    const auto groups = static_cast<std::int64_t>(length) - 1, end = static_cast<std::int64_t>(rows);
    if (offsets[0] != 0 || offsets[groups] != end)
        refuse(what, "those from " + std::to_string(offsets[0]) + " to " + std::to_string(offsets[groups]),
               "from 0 to " + std::to_string(end));
    for (std::int64_t group = 0; group < groups; ++group) {
        // Both ends in range first: their difference cannot overflow then.
        const bool inside = offsets[group + 1] >= 0 && offsets[group + 1] <= end;
        const std::int64_t size = inside ? offsets[group + 1] - offsets[group] : -1;
        if (size < least || size > most)
            refuse(std::string(what) + " of group " + std::to_string(group),
                   std::to_string(offsets[group]) + " and " + std::to_string(offsets[group + 1]),
                   std::to_string(least) + " to " + std::to_string(most) + " rows of " + std::to_string(end));
    }
    return groups;
}

// The group `chosen` of many, and its rows: at least one, all among `rows`. `what` is one group.
inline void expect_group(std::int64_t chosen, const std::int64_t* offsets, std::int64_t groups, std::int64_t rows,
                         const char* what) {
    const auto named = [&] { return std::string(what) + " " + std::to_string(chosen); };
    if (chosen < 0 || chosen >= groups)
        throw std::invalid_argument(named() + " is not among the " + std::to_string(groups) + " " + what + "s");
    const std::int64_t begin = offsets[chosen], end = offsets[chosen + 1];
    if (begin < 0 || begin >= end || end > rows)
        throw std::invalid_argument("the offsets of " + named() + ", " + std::to_string(begin) + " and " +
                                    std::to_string(end) + ", leave the " + std::to_string(rows) +
                                    " rows, or hold none of them");
}

// One label for each row, from 0 up to the number of rows of its group; the offsets have been checked.
inline void expect_labels(const std::int32_t* labels, std::size_t length, const std::int64_t* offsets,
                          std::int64_t groups) {
    expect(length, static_cast<std::size_t>(offsets[groups]), "length of labels");
    for (std::int64_t group = 0; group < groups; ++group)
        for (std::int64_t row = offsets[group]; row < offsets[group + 1]; ++row)
            if (labels[row] < 0 || labels[row] >= offsets[group + 1] - offsets[group])
                refuse("label of row " + std::to_string(row), std::to_string(labels[row]),
                       "one from 0 to " + std::to_string(offsets[group + 1] - offsets[group] - 1));
}

// Components that are finite and not absurd: clustering compares what it computes from them, and NaN compares with
// nothing. Whether momenta are physical is not asked here.
inline void expect_components(const double* momenta, std::int64_t begin, std::int64_t end) {
    // As integers, the magnitudes of doubles are ordered like the numbers, infinity and NaN above all: a difference is
    // negative where one is too large. Unlike comparisons, that fits any vector unit.
    constexpr auto largest = std::bit_cast<std::int64_t>(MAX_COMPONENT);
    std::int64_t differences = 0;
    for (std::int64_t i = 4 * begin; i < 4 * end; ++i)
        differences |= largest - (std::bit_cast<std::int64_t>(momenta[i]) & std::numeric_limits<std::int64_t>::max());
    if (differences >= 0) return;
    for (std::int64_t i = 4 * begin; i < 4 * end; ++i)
        if (!(std::abs(momenta[i]) <= MAX_COMPONENT))
            refuse("momentum " + std::to_string(i / 4), std::to_string(momenta[i]), "finite components below 1e101");
}

// A piece of memory that a call reads or writes.
struct Bytes {
    const void* begin;
    std::size_t size;
    const char* name;
};

// What is written must not be what is read, or written, elsewhere: offsets could change after they were checked.
inline void expect_apart(std::initializer_list<Bytes> written, std::initializer_list<Bytes> read) {
    const auto overlap = [](const Bytes& a, const Bytes& b) {
        const auto first = reinterpret_cast<std::uintptr_t>(a.begin);
        const auto second = reinterpret_cast<std::uintptr_t>(b.begin);
        return a.size && b.size && first < second + b.size && second < first + a.size;
    };
    const auto compare = [&](const Bytes& a, const Bytes& b) {
        if (overlap(a, b)) refuse(a.name, std::string("memory that it shares with ") + b.name, "memory of its own");
    };
    for (const Bytes* out = written.begin(); out != written.end(); ++out) {
        for (const Bytes& in : read) compare(*out, in);
        for (const Bytes* other = out + 1; other != written.end(); ++other) compare(*out, *other);
    }
}

}  // namespace jetgram
