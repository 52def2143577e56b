// The engine for Python: every call checks its shapes, then works without the interpreter lock.
#include "bindings.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../engine/adam.hpp"
#include "../engine/choose_path.hpp"
#include "../engine/engine.hpp"
#include "../engine/tape.hpp"
#include "engine_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace jetgram {

namespace {

using engine::Batch;
using engine::Engine;
using engine::Tape;

constexpr std::int64_t MAX_STEPS = std::int64_t{1} << 53;

// A batch whose output shares no memory with what is indexed with; kernels check the rest when they plan their work.
template <class Output>
Batch batch_of(const Rows& features, const Flags& inner, const Indices& offsets, const Indices& jets, int threads,
               const Output& out) {
    expect_output(out, threads, {bytes_of(inner, "inner"), bytes_of(offsets, "offsets"), bytes_of(jets, "jets")});
    return {forest_of(features, inner, offsets), jets.data(), static_cast<std::int64_t>(jets.shape(0))};
}

void expect_parameters(const Engine& self, std::size_t found) {
    expect(found, engine::parameter_count(self.maps()), "number of parameters");
}

void embed(const Engine& self, const Floats& parameters, const Rows& features, const Flags& inner,
           const Indices& offsets, const Indices& jets, int threads, const Array<float, 2>& out) {
    const Batch batch = batch_of(features, inner, offsets, jets, threads, out);
    expect_parameters(self, parameters.size());
    expect_rows(out, batch.count, self.embedding(), "out");
    const nb::gil_scoped_release release;
    self.embed(parameters.data(), batch, threads, out.data());
}

void predict(const Engine& self, const Floats& parameters, const Rows& features, const Flags& inner,
             const Indices& offsets, const Indices& jets, int threads, const Array<float, 2>& out) {
    const Batch batch = batch_of(features, inner, offsets, jets, threads, out);
    if (!self.outputs()) throw std::invalid_argument("this engine has no head: it can embed, but not predict");
    expect_parameters(self, parameters.size());
    expect_rows(out, batch.count, self.outputs(), "out");
    const nb::gil_scoped_release release;
    self.predict(parameters.data(), batch, threads, out.data());
}

double step(const Engine& self, const Floats& parameters, const Rows& features, const Flags& inner,
            const Indices& offsets, const Indices& jets, const Rows& targets, const Floats& weights,
            const std::string& loss, int threads, const Array<float, 1>& gradient) {
    const Batch batch = batch_of(features, inner, offsets, jets, threads, gradient);
    if (!self.outputs()) throw std::invalid_argument("this engine has no head: it can embed, but not train");
    expect_parameters(self, parameters.size());
    expect_parameters(self, gradient.size());
    expect_rows(targets, batch.count, self.outputs(), "targets");
    expect(weights.size(), batch.count, "length of weights");
    const engine::Loss kind = engine::loss_named(loss);
    const nb::gil_scoped_release release;
    return self.step(parameters.data(), batch, targets.data(), weights.data(), kind, threads, gradient.data());
}

std::shared_ptr<Tape> record(std::shared_ptr<Engine> self, const Floats& parameters, const Rows& features,
                             const Flags& inner, const Indices& offsets, const Indices& jets, int threads,
                             const Array<float, 2>& out) {
    const Batch batch = batch_of(features, inner, offsets, jets, threads, out);
    expect_parameters(*self, parameters.size());
    expect_rows(out, batch.count, self->embedding(), "out");
    const nb::gil_scoped_release release;
    return std::make_shared<Tape>(self, parameters.data(), batch, threads, out.data());
}

void bind_tape(nb::module_& m) {
    nb::class_<Tape>(m, "Tape", "A forward pass whose backward pass is still to come.")
        .def(
            "backward",
            [](Tape& self, const Rows& embedding_gradient, int threads, const Array<float, 1>& gradient) {
                expect_rows(embedding_gradient, self.count(), self.embedding(), "embedding_gradient");
                expect(gradient.size(), self.parameters(), "length of gradient");
                expect_threads(threads);
                const nb::gil_scoped_release release;
                self.backward(embedding_gradient.data(), threads, gradient.data());
            },
            strict("embedding_gradient"), "threads"_a, strict("gradient"),
            "Writes dL/d(parameters), given dL/d(embeddings); once only.");
}

void bind_engine_class(nb::module_& m) {
    nb::class_<Engine>(m, "Engine", "A cell with its sizes, and a head: the parameters come with each call, flat.")
        .def(
            "__init__",
            [](Engine* self, const std::string& cell, int features, int hidden, const std::vector<int>& head,
               const std::string& path, int chunk, const std::string& readout) {
                new (self) Engine(cell, features, hidden, engine::readout_named(readout), head,
                                  engine::choose_path(path), chunk);
            },
            "cell"_a, "features"_a, "hidden"_a, "head"_a = std::vector<int>{}, "path"_a = "auto", "chunk"_a = 8,
            "readout"_a = "root")
        .def_prop_ro(
            "parameters", [](const Engine& self) { return parameter_shapes(self.maps()); },
            "Names and shapes in the order of the flat vector.")
        .def_prop_ro(
            "path", [](const Engine& self) { return self.path().name; }, "The instruction set in use.")
        .def("embed", &embed, strict("parameters"), strict("features"), strict("inner"), strict("offsets"),
             strict("jets"), "threads"_a, strict("out"),
             "Embeddings (jets, embedding) of the chosen jets: the states that are read, side by side.")
        .def("predict", &predict, strict("parameters"), strict("features"), strict("inner"), strict("offsets"),
             strict("jets"), "threads"_a, strict("out"), "Outputs of the head (jets, outputs) for the chosen jets.")
        .def("step", &step, strict("parameters"), strict("features"), strict("inner"), strict("offsets"),
             strict("jets"), strict("targets"), strict("weights"), "loss"_a, "threads"_a, strict("gradient"),
             "The weighted loss; writes its gradient.")
        .def("record", &record, strict("parameters"), strict("features"), strict("inner"), strict("offsets"),
             strict("jets"), "threads"_a, strict("out"),
             nb::keep_alive<0, 3>(),  // the tape reads the features again
             "Embeddings into `out`, and the tape for their gradient.");
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::set_leak_warnings(false);  // Python keeps engines for the life of the process, and graphs may hold tapes
    bind_tape(m);
    bind_engine_class(m);
    bind_event_engine(m);
    m.def(
        "breadth_first",
        [](const Array<const std::int32_t, 2>& children, const Indices& offsets, int threads,
           const Array<std::int64_t, 1>& order, const Array<bool, 1>& inner) {
            expect(children.shape(1), 2, "columns of children");
            expect(order.size(), children.shape(0), "length of order");
            expect(inner.size(), children.shape(0), "length of inner");
            const std::int64_t jets =
                expect_offsets(offsets.data(), offsets.size(), children.shape(0), 0, 2 * MAX_LEAVES);
            expect_apart({bytes_of(order, "order"), bytes_of(inner, "inner")},
                         {bytes_of(children, "children"), bytes_of(offsets, "offsets")});
            expect_threads(threads);
            const nb::gil_scoped_release release;
            engine::breadth_first(children.data(), offsets.data(), jets, threads, order.data(),
                                  reinterpret_cast<std::uint8_t*>(inner.data()));
        },
        strict("children"), strict("offsets"), "threads"_a, strict("order"), strict("inner"),
        "Writes the breadth-first order of trees and which rows are inner nodes.");
    m.def(
        "adam",
        [](const Floats& gradient, long step, double rate, double beta1, double beta2, double epsilon,
           const Array<float, 1>& parameters, const Array<float, 1>& mean, const Array<float, 1>& square) {
            const std::size_t n = gradient.size();
            expect(parameters.size(), n, "number of parameters");
            expect(mean.size(), n, "length of mean");
            expect(square.size(), n, "length of square");
            expect_range(step, 1, MAX_STEPS, "step");
            expect_apart({bytes_of(parameters, "parameters"), bytes_of(mean, "mean"), bytes_of(square, "square")},
                         {bytes_of(gradient, "gradient")});
            const nb::gil_scoped_release release;
            engine::adam_update({rate, beta1, beta2, epsilon}, step, n, gradient.data(), parameters.data(), mean.data(),
                                square.data());
        },
        strict("gradient"), "step"_a, "rate"_a, "beta1"_a, "beta2"_a, "epsilon"_a, strict("parameters"), strict("mean"),
        strict("square"), "One Adam update in place.");
    bind_engine_kernels(m);
}

}  // namespace jetgram
