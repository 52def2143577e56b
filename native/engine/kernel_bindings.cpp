// Single kernels for the tests: the same functions that the engine calls, on any path, on plain arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "choose_path.hpp"
#include "parameters.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace jetgram {

namespace {

using engine::Path;
template <class T, int N>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// y = f(x) element by element, through a padded copy.
void elementwise(void (*Path::*kernel)(int, const float*, float*), const std::string& name,
                 const Array<const float, 1>& x, const Array<float, 1>& y) {
    const Path& path = engine::choose_path(name);
    const int n = static_cast<int>(x.size()), padded = (n + path.width - 1) / path.width * path.width;
    std::vector<float> in(padded, 0.0f), out(padded);
    std::copy_n(x.data(), n, in.data());
    (path.*kernel)(padded, in.data(), out.data());
    std::copy_n(out.data(), n, y.data());
}

// y = W x + b for rows, and from dy the gradients: pack, node product, outer product, unpack.
void affine(const std::string& name, const Array<const float, 2>& x, const Array<const float, 1>& parameters,
            const Array<const float, 2>& dy, const Array<float, 2>& y, const Array<float, 2>& dx,
            const Array<float, 1>& gradient) {
    const Path& path = engine::choose_path(name);
    const int rows = static_cast<int>(x.shape(0)), in = static_cast<int>(x.shape(1)),
              out = static_cast<int>(y.shape(1));
    const std::vector<engine::LinearSpec> maps{{"W", "b", {{in}, path.width}, {{out}, path.width}, true}};
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

}  // namespace

void bind_engine_kernels(nb::module_& m) {
    nb::module_ kernels = m.def_submodule("engine_kernels", "Single kernels, for the tests.");
    kernels.def("exp", [](const std::string& path, const Array<const float, 1>& x, const Array<float, 1>& y) {
        elementwise(&Path::exp, path, x, y);
    });
    kernels.def("sigmoid", [](const std::string& path, const Array<const float, 1>& x, const Array<float, 1>& y) {
        elementwise(&Path::sigmoid, path, x, y);
    });
    kernels.def("affine", &affine);
    kernels.def("update", [](const std::string& path, const Array<float, 2>& z, const Array<const float, 2>& slot,
                             const Array<float, 1>& state) {
        engine::choose_path(path).update(static_cast<int>(state.size()), z.data(), slot.data(), state.data());
    });
    kernels.def("update_backward",
                [](const std::string& path, const Array<float, 2>& z, const Array<const float, 2>& slot,
                   const Array<const float, 1>& dstate, const Array<float, 2>& dslot) {
                    engine::choose_path(path).update_backward(static_cast<int>(dstate.size()), z.data(), slot.data(),
                                                              dstate.data(), dslot.data());
                });
}

}  // namespace jetgram
