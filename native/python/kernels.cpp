// Single kernels for the tests, and one for the benchmark: the same functions that the engine calls, on any path, on plain arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../engine/choose_path.hpp"
#include "../engine/parameters.hpp"
#include "bindings.hpp"
#include "engine_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace jetgram {

namespace {

using engine::Path;

constexpr std::int64_t MAX_VALUES = 1 << 28, MAX_ROUNDS = std::int64_t{1} << 40;

// y = f(x) element by element, through a padded copy.
void elementwise(void (*Path::*kernel)(int, const float*, float*), const std::string& name,
                 const Floats& x, const Array<float, 1>& y) {
    const Path& path = engine::choose_path(name);
    expect(y.size(), x.size(), "length of y");
    expect_range(static_cast<std::int64_t>(x.size()), 0, MAX_VALUES, "length of x");
    const int n = static_cast<int>(x.size()), padded = (n + path.shape.width - 1) / path.shape.width * path.shape.width;
    std::vector<float> in(padded, 0.0f), out(padded);
    std::copy_n(x.data(), n, in.data());
    (path.*kernel)(padded, in.data(), out.data());
    std::copy_n(out.data(), n, y.data());
}

// The gates and parts of one slot, (4, hidden), with a hidden size of whole vectors.
template <class Gates, class Parts>
const Path& path_for_slot(const std::string& name, std::size_t hidden, const Gates& z, const Parts& slot) {
    const Path& path = engine::choose_path(name);
    expect_range(static_cast<std::int64_t>(hidden), path.shape.width, MAX_UNITS, "hidden size");
    expect(hidden % path.shape.width, 0, "hidden size beyond whole vectors");
    expect_rows(z, 4, hidden, "z");
    expect_rows(slot, 4, hidden, "slot");
    return path;
}

// y = W x + b for rows, and from dy the gradients: pack, node product, outer product, unpack.
void affine(const std::string& name, const Rows& x, const Floats& parameters,
            const Rows& dy, const Array<float, 2>& y, const Array<float, 2>& dx,
            const Array<float, 1>& gradient) {
    const Path& path = engine::choose_path(name);
    for (const std::size_t size : {x.shape(0), x.shape(1), y.shape(1)})
        expect_range(static_cast<std::int64_t>(size), 1, MAX_UNITS, "rows and columns of x and y");
    expect_rows(y, x.shape(0), y.shape(1), "y");
    expect_rows(dy, x.shape(0), y.shape(1), "dy");
    expect_rows(dx, x.shape(0), x.shape(1), "dx");
    expect(parameters.size(), (x.shape(1) + 1) * y.shape(1), "number of parameters");
    expect(gradient.size(), parameters.size(), "length of gradient");
    const int rows = static_cast<int>(x.shape(0)), in = static_cast<int>(x.shape(1)),
              out = static_cast<int>(y.shape(1));
    const std::vector<engine::LinearSpec> maps{{"W", "b", {{in}, path.shape}, {{out}, path.shape}, true}};
    const engine::PackedWeights weights(maps, parameters.data(), true);
    engine::LaneGradients gradients(maps, 1);
    const engine::Linear map = gradients.open(0, weights.linears()).front();
    engine::AlignedFloats px, py, pdy, pdx;
    const auto pad = [rows](engine::AlignedFloats& target, const float* source, int columns, int padded) {
        std::fill_n(target.reserve(static_cast<std::size_t>(rows) * padded), rows * padded, 0.0f);
        for (int row = 0; row < rows; ++row) std::copy_n(source + row * columns, columns, target.data() + row * padded);
    };
    const auto cut = [rows](const engine::AlignedFloats& source, int padded, float* target, int columns) {
        for (int row = 0; row < rows; ++row) std::copy_n(source.data() + row * padded, columns, target + row * columns);
    };
    pad(px, x.data(), in, map.in);
    pad(pdy, dy.data(), out, map.out);
    path.affine(map, rows, px.data(), py.reserve(static_cast<std::size_t>(rows) * map.out), false);
    path.affine_backward(map, rows, px.data(), pdy.data(), pdx.reserve(static_cast<std::size_t>(rows) * map.in));
    cut(py, map.out, y.data(), out);
    cut(pdx, map.in, dx.data(), in);
    gradients.reduce(gradient.data());
}

// How many multiply-adds it did, and their sum over all lanes.
std::pair<std::int64_t, float> multiply_add(const std::string& name, std::int64_t rounds) {
    const Path& path = engine::choose_path(name);
    expect_range(rounds, 0, MAX_ROUNDS, "rounds");
    float total = 0.0f;
    const std::int64_t count = path.multiply_add(rounds, &total);
    return {count, total};
}

}  // namespace

void bind_engine_kernels(nb::module_& m) {
    nb::module_ kernels = m.def_submodule("engine_kernels", "Single kernels, for tests and benchmarks.");
    kernels.def(
        "exp",
        [](const std::string& path, const Floats& x, const Array<float, 1>& y) {
            elementwise(&Path::exp, path, x, y);
        },
        "path"_a, strict("x"), strict("y"));
    kernels.def(
        "sigmoid",
        [](const std::string& path, const Floats& x, const Array<float, 1>& y) {
            elementwise(&Path::sigmoid, path, x, y);
        },
        "path"_a, strict("x"), strict("y"));
    kernels.def("affine", &affine, "path"_a, strict("x"), strict("parameters"), strict("dy"), strict("y"), strict("dx"),
                strict("gradient"));
    kernels.def("multiply_add", &multiply_add, "path"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>());
    kernels.def(
        "update",
        [](const std::string& path, const Array<float, 2>& z, const Rows& slot, const Array<float, 1>& state) {
            const Path& kernels = path_for_slot(path, state.size(), z, slot);
            kernels.update(static_cast<int>(state.size()), z.data(), slot.data(), state.data());
        },
        "path"_a, strict("z"), strict("slot"), strict("state"));
    kernels.def(
        "update_backward",
        [](const std::string& path, const Array<float, 2>& z, const Rows& slot, const Floats& dstate,
           const Array<float, 2>& dslot) {
            const Path& kernels = path_for_slot(path, dstate.size(), z, slot);
            expect_rows(dslot, 4, dstate.size(), "dslot");
            kernels.update_backward(static_cast<int>(dstate.size()), z.data(), slot.data(), dstate.data(),
                                    dslot.data());
        },
        "path"_a, strict("z"), strict("slot"), strict("dstate"), strict("dslot"));
}

}  // namespace jetgram
