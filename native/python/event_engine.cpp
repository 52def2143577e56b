// The engine of events for Python: every call checks its shapes, then works without the interpreter lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "../engine/choose_path.hpp"
#include "../engine/event_engine.hpp"
#include "bindings.hpp"
#include "engine_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace jetgram {

namespace {

using engine::EventBatch;
using engine::EventEngine;

template <class Output>
EventBatch batch_of(const Rows& features, const Flags& inner, const Indices& tree_offsets, const Rows& momenta,
                    const Indices& offsets, const Indices& events, int threads, const Output& out) {
    expect_output(out, threads, {bytes_of(inner, "inner"), bytes_of(tree_offsets, "tree_offsets"),
                                 bytes_of(offsets, "offsets"), bytes_of(events, "events")});
    expect(momenta.shape(1), engine::COLUMNS, "columns of momenta");
    if (offsets.shape(0) < 1) refuse("offsets of events", "none", "one more than events");
    return {forest_of(features, inner, tree_offsets),
            momenta.data(),
            offsets.data(),
            static_cast<std::int64_t>(momenta.shape(0)),
            static_cast<std::int64_t>(offsets.shape(0)) - 1,
            events.data(),
            static_cast<std::int64_t>(events.shape(0))};
}

void predict(const EventEngine& self, const Floats& parameters, const Rows& features, const Flags& inner,
             const Indices& tree_offsets, const Rows& momenta, const Indices& offsets, const Indices& events,
             int threads, const Array<float, 2>& out) {
    const EventBatch batch = batch_of(features, inner, tree_offsets, momenta, offsets, events, threads, out);
    expect(parameters.size(), engine::parameter_count(self.maps()), "number of parameters");
    expect_rows(out, batch.count, self.outputs(), "out");
    const nb::gil_scoped_release release;
    self.predict(parameters.data(), batch, threads, out.data());
}

double step(const EventEngine& self, const Floats& parameters, const Rows& features, const Flags& inner,
            const Indices& tree_offsets, const Rows& momenta, const Indices& offsets, const Indices& events,
            const Rows& targets, const Floats& weights, const std::string& loss, int threads,
            const Array<float, 1>& gradient) {
    const EventBatch batch = batch_of(features, inner, tree_offsets, momenta, offsets, events, threads, gradient);
    expect(parameters.size(), engine::parameter_count(self.maps()), "number of parameters");
    expect(gradient.size(), engine::parameter_count(self.maps()), "length of gradient");
    expect_rows(targets, batch.count, self.outputs(), "targets");
    expect(weights.size(), batch.count, "length of weights");
    const engine::Loss kind = engine::loss_named(loss);
    const nb::gil_scoped_release release;
    return self.step(parameters.data(), batch, targets.data(), weights.data(), kind, threads, gradient.data());
}

}  // namespace

void bind_event_engine(nb::module_& m) {
    nb::class_<EventEngine>(m, "EventEngine", "A cell (or none), a recurrent unit over the jets of events, and a head.")
        .def(
            "__init__",
            [](EventEngine* self, const std::string& cell, int features, int hidden, int state,
               const std::vector<int>& head, const std::string& path, std::optional<int> chunk,
               const std::string& readout) {
                new (self) EventEngine(cell, features, hidden, engine::readout_named(readout), state, head,
                                       engine::choose_path(path), chunk);
            },
            "cell"_a, "features"_a, "hidden"_a, "state"_a, "head"_a, "path"_a = "auto", "chunk"_a = nb::none(),
            "readout"_a = "root")
        .def_prop_ro(
            "parameters", [](const EventEngine& self) { return parameter_shapes(self.maps()); },
            "Names and shapes in the order of the flat vector.")
        .def("predict", &predict, strict("parameters"), strict("features"), strict("inner"), strict("tree_offsets"),
             strict("momenta"), strict("offsets"), strict("events"), "threads"_a, strict("out"),
             "Outputs of the head (events, outputs) for the chosen events.")
        .def("step", &step, strict("parameters"), strict("features"), strict("inner"), strict("tree_offsets"),
             strict("momenta"), strict("offsets"), strict("events"), strict("targets"), strict("weights"), "loss"_a,
             "threads"_a, strict("gradient"),
             "The weighted loss; writes its gradient.");
}

}  // namespace jetgram
