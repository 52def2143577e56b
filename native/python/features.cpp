#include "../cleaning.hpp"
#include "../features.hpp"
#include "../lund.hpp"
#include "../scaling.hpp"
#include "../tree_rows.hpp"

#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace jetgram {

namespace {

using Features = StrictArray<double, nb::shape<-1, FEATURES>>;

void features_of(const Momenta& momenta, const Indices& offsets, int threads, const Features& features) {
    const std::int64_t jets = expect_offsets(offsets.data(), offsets.size(), momenta.shape(0), 1, 2 * MAX_LEAVES);
    expect(features.shape(0), momenta.shape(0), "length of features");
    expect_apart({bytes_of(features, "features")}, {bytes_of(momenta, "momenta"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    node_features(momenta.data(), offsets.data(), jets, threads, features.data());
}

using LundFeatures = StrictArray<double, nb::shape<-1, LUND_FEATURES>>;
using Children = StrictArray<const std::int32_t, nb::shape<-1, 2>>;

void lund_features_of(const Momenta& momenta, const Children& children, const Indices& offsets, int threads,
                      const LundFeatures& features) {
    const std::int64_t jets = expect_offsets(offsets.data(), offsets.size(), momenta.shape(0), 1, 2 * MAX_LEAVES);
    expect(children.shape(0), momenta.shape(0), "length of children");
    expect(features.shape(0), momenta.shape(0), "length of features");
    expect_apart({bytes_of(features, "features")},
                 {bytes_of(momenta, "momenta"), bytes_of(children, "children"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    lund_features(momenta.data(), children.data(), offsets.data(), jets, threads, features.data());
}

void cleaned(const Momenta& momenta, const Indices& offsets, double min_pt, double distance, int threads,
             const NewMomenta& sums, const Array<std::int64_t, 1>& hardest,
             const Array<std::int64_t, 1>& new_offsets) {
    const std::int64_t jets = expect_offsets(offsets.data(), offsets.size(), momenta.shape(0), 1, MAX_LEAVES);
    expect(sums.shape(0), momenta.shape(0), "length of sums");
    expect(hardest.size(), momenta.shape(0), "length of hardest");
    expect(new_offsets.size(), offsets.size(), "length of new_offsets");
    expect_apart({bytes_of(sums, "sums"), bytes_of(hardest, "hardest"), bytes_of(new_offsets, "new_offsets")},
                 {bytes_of(momenta, "momenta"), bytes_of(offsets, "offsets")});
    expect_threads(threads);
    clean(momenta.data(), offsets.data(), jets, min_pt, distance, threads, sums.data(), hardest.data());
    compress(offsets.data(), jets, sums.data(), hardest.data(), new_offsets.data());
}

void places_of(const Momenta& momenta, const StrictArray<double, nb::shape<-1, 2>>& places) {
    static_assert(sizeof(Place) == 2 * sizeof(double));
    expect(places.shape(0), momenta.shape(0), "length of places");
    expect_apart({bytes_of(places, "places")}, {bytes_of(momenta, "momenta")});
    expect_components(momenta.data(), 0, static_cast<std::int64_t>(momenta.shape(0)));
    kernels().fill_places(momenta.data(), static_cast<std::int64_t>(momenta.shape(0)),
                          reinterpret_cast<Place*>(places.data()));
}

using SingleRows = Array<float, 2>;

using Column = Array<const float, 1>;

// One number of each per column.
void expect_scaler(const Column& center, const Column& scale, const Column& limit, std::size_t columns) {
    expect(center.size(), columns, "length of center");
    expect(scale.size(), columns, "length of scale");
    expect(limit.size(), columns, "length of limit");
}

// Without a center, nothing is scaled.
std::int64_t tree_rows_of(const Momenta& leaves, const Indices& offsets, const std::string& topology,
                          std::uint64_t seed, const std::string& features, const Column& center, const Column& scale,
                          const Column& limit, int threads, const SingleRows& rows, const Array<bool, 1>& inner) {
    const std::int64_t jets = expect_offsets(offsets.data(), offsets.size(), leaves.shape(0), 1, MAX_LEAVES);
    const std::size_t nodes = 2 * leaves.shape(0) - jets;
    const NodeFeatures kind = features_named(features);
    const std::int64_t columns = columns_of(kind);
    expect(rows.shape(0), nodes, "length of rows");
    expect(rows.shape(1), columns, "columns of rows");
    expect(inner.size(), nodes, "length of inner");
    expect_scaler(center, scale, limit, center.size() ? columns : 0);
    expect_apart({bytes_of(rows, "rows"), bytes_of(inner, "inner")},
                 {bytes_of(leaves, "leaves"), bytes_of(offsets, "offsets"), bytes_of(center, "center"),
                  bytes_of(scale, "scale"), bytes_of(limit, "limit")});
    expect_threads(threads);
    std::optional<ColumnScaling> scaling;
    if (center.size()) scaling.emplace(columns, center.data(), scale.data(), limit.data());
    return fill_tree_rows(leaves.data(), offsets.data(), jets, topology, seed, kind, scaling ? &*scaling : nullptr,
                          threads, rows.data(), reinterpret_cast<std::uint8_t*>(inner.data()));
}

void scale_rows_of(const SingleRows& rows, const Column& center, const Column& scale, const Column& limit,
                   int threads) {
    const std::size_t columns = rows.shape(1);
    expect_range(static_cast<std::int64_t>(columns), 1, MAX_UNITS, "columns of rows");
    expect_scaler(center, scale, limit, columns);
    expect_apart({bytes_of(rows, "rows")},
                 {bytes_of(center, "center"), bytes_of(scale, "scale"), bytes_of(limit, "limit")});
    expect_threads(threads);
    scale_rows(rows.data(), static_cast<std::int64_t>(rows.shape(0)), static_cast<std::int64_t>(columns),
               center.data(), scale.data(), limit.data(), threads);
}

}  // namespace

void bind_features(nb::module_& m) {
    m.def("clean", &cleaned, strict("momenta"), strict("offsets"), nb::arg("min_pt"), nb::arg("distance"),
          nb::arg("threads"), strict("sums"), strict("hardest"), strict("new_offsets"),
          nb::call_guard<nb::gil_scoped_release>(),
          "Fill the first of sums (n, 4) with those of close constituents, in the order of their lowest indices, but "
          "for those below min_pt; the first of hardest (n) with the numbers of their hardest members; and the offsets "
          "(jets + 1) of what is left.");
    m.def("lund_features", &lund_features_of, strict("momenta"), strict("children"), strict("offsets"),
          nb::arg("threads"), strict("features"), nb::call_guard<nb::gil_scoped_release>(),
          "Fill the Lund features (nodes, 15) of trees.");
    m.def("tree_rows", &tree_rows_of, strict("leaves"), strict("offsets"), nb::arg("topology"), nb::arg("seed"),
          nb::arg("features"), strict("center"), strict("scale"), strict("limit"), nb::arg("threads"), strict("rows"),
          strict("inner"), nb::call_guard<nb::gil_scoped_release>(),
          "Fill the rows (2 n - jets, columns) of the trees over jets without fault, breadth first, scaled unless center "
          "is empty, and which of them are inner nodes; return the first jet that is too large for single precision, or "
          "-1.");
    m.def("scale_rows", &scale_rows_of, strict("rows"), strict("center"), strict("scale"), strict("limit"),
          nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>(), "Scale rows of columns in place.");
    m.def("places", &places_of, strict("momenta"), strict("places"), nb::call_guard<nb::gil_scoped_release>(),
          "Fill the rapidities and azimuths (n, 2) of momenta, as FastJet has them.");
    m.def("node_features", &features_of, strict("momenta"), strict("offsets"), nb::arg("threads"),
          strict("features"), nb::call_guard<nb::gil_scoped_release>(), "Fill the features (nodes, 7) of trees.");
}

}  // namespace jetgram
