"""The native engine: the same numbers as the reference engine, several times faster, on the CPU in float32."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch._utils import _flatten_dense_tensors

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.sequences import EventSchedule
from jetgram.networks.cells import READOUTS, Cell, Readout
from jetgram.networks.engine.capability import kernel_of
from jetgram.ragged import numbers

Array = NDArray[np.float32]
ENGINES_KEPT = 8  # of different sizes: each keeps some MiB of working memory


@functools.lru_cache(maxsize=ENGINES_KEPT)
def native_object(kind: str, *sizes: str | int | tuple[int, ...], readout: Readout = "root") -> Any:
    """An `Engine` or `EventEngine` of these sizes; it keeps its memory from call to call and can be shared by threads.

    Args:
        kind: its class in the native core.
        sizes: what it is made from: the cell's kernel and sizes, and those of what stands above it.
        readout: which states are an embedding.
    """
    core = backend.native_core()
    if core is None:
        raise SettingsError(f"the native engine is not there: {backend.load()[1]}")
    return getattr(core, kind)(*sizes, readout=readout)


@functools.lru_cache(maxsize=ENGINES_KEPT)
def _parameter_shapes(engine: Any) -> list[tuple[int, ...]]:
    return [tuple(shape) for _, shape in engine.parameters]


def cell_sizes(cell: Cell) -> tuple[str, int, int]:
    """The kernel of a cell, and its sizes."""
    return kernel_of(cell) or "", cell.features, cell.hidden


def _trees(schedule: Schedule) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.int64]]:
    return schedule.features, schedule.inner, schedule.offsets


def flat_vector(parameters: Iterable[Tensor]) -> Array:
    """All weights one after the other, as the native engine takes them."""
    # One call for all weights, which takes a third of the time of one call each.
    flat: Tensor = _flatten_dense_tensors(tuple(parameters))  # type: ignore[no-untyped-call]
    return flat.detach().numpy()


def embed(cell: Cell, schedule: Schedule, jets: ArrayLike | None = None, readout: Readout = "root") -> Tensor:
    """The embeddings of the chosen trees, `(jets, q)` for each state that is read, with gradients for the weights."""
    engine = native_object("Engine", *cell_sizes(cell), (), readout=readout)
    parameters, width = tuple(cell.parameters()), READOUTS[readout].states * cell.hidden
    chosen = schedule.jets(jets)
    if torch.is_grad_enabled() and any(weight.requires_grad for weight in parameters):
        return _Embed.apply(engine, schedule, chosen, width, *parameters)  # type: ignore[no-any-return,no-untyped-call]
    out = torch.empty(len(chosen), width)
    engine.embed(flat_vector(parameters), *_trees(schedule), chosen, backend.threads(), out.numpy())
    return out


class _Embed(torch.autograd.Function):
    """Embeddings as one operation; the memory of the forward pass waits for the backward pass."""

    @staticmethod
    def forward(
        ctx: Any, engine: Any, schedule: Schedule, jets: NDArray[np.int64], width: int, *parameters: Tensor
    ) -> Tensor:
        out = torch.empty(len(jets), width)
        flat = flat_vector(parameters).copy()
        ctx.record = functools.partial(engine.record, flat, *_trees(schedule), jets)
        ctx.tape = ctx.record(backend.threads(), out.numpy())
        ctx.width = width
        ctx.schedule = schedule  # the tape reads its features again
        ctx.shapes = [weight.shape for weight in parameters]
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        sizes = [shape.numel() for shape in ctx.shapes]
        flat = torch.empty(sum(sizes))
        tape, ctx.tape = ctx.tape, None
        if tape is None:  # a second time, after retain_graph=True: the memory of the first one is used up
            tape = ctx.record(backend.threads(), np.empty((len(gradient), ctx.width), dtype=np.float32))
        tape.backward(gradient.contiguous().numpy(), backend.threads(), flat.numpy())
        parts = [part.view(shape) for part, shape in zip(torch.split(flat, sizes), ctx.shapes, strict=True)]
        return None, None, None, None, *parts


class Fused(abc.ABC):
    """A whole network in one call: predictions, or a training step. It reads all weights as one flat vector.

    Args:
        engine: the native object.
        outputs: of the network.
    """

    def __init__(self, engine: Any, outputs: int) -> None:
        self._engine, self.outputs = engine, outputs

    @abc.abstractmethod
    def arrays(self, inputs: Any) -> tuple[NDArray[Any], ...]:
        """What the native object reads of the trees, or events."""

    @property
    def parameter_shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the weights in the order of the flat vector, from the first layer to the last."""
        return _parameter_shapes(self._engine)

    def predict(self, parameters: Array, inputs: Any, chosen: ArrayLike | None = None) -> Array:
        """The outputs for the chosen trees or events (by default all), `(chosen, outputs)`."""
        picked = numbers(chosen, len(inputs))
        out = np.empty((len(picked), self.outputs), dtype=np.float32)
        self._engine.predict(parameters, *self.arrays(inputs), picked, backend.threads(), out)
        return out

    def step(
        self,
        parameters: Array,
        inputs: Any,
        chosen: ArrayLike | None,
        targets: Array,
        weights: Array,
        loss: str,
        gradient: Array,
    ) -> float:
        r"""The loss $\sum_i w_i \frac1T \sum_t \ell(f_{it}, y_{it})$ of the chosen rows; writes its gradient.

        Args:
            parameters: all weights, flat.
            inputs: the trees, or events.
            chosen: the numbers of the chosen ones.
            targets: `(chosen, outputs)`.
            weights: `(chosen,)`.
            loss: `logistic`, `softmax` (the cross-entropy, summed over outputs), `squared`, `huber`, or `linear`, the
                product of outputs and targets.
            gradient: where the gradient goes, flat; overwritten.
        """
        arrays, picked = self.arrays(inputs), numbers(chosen, len(inputs))
        value = self._engine.step(parameters, *arrays, picked, targets, weights, loss, backend.threads(), gradient)
        return float(value)

    def backward(
        self, parameters: Array, inputs: Any, chosen: ArrayLike | None, slopes: Array, gradient: Array
    ) -> None:
        """Write the gradient of a loss whose slopes with respect to the outputs, `(chosen, outputs)`, are given.

        It is a step with the loss `linear`: the forward pass is done again, the loss may be any.
        """
        weights = np.full(len(slopes), self.outputs, dtype=np.float32)  # a step takes the mean over outputs
        self.step(parameters, inputs, chosen, np.ascontiguousarray(slopes), weights, "linear", gradient)


class FusedNetwork(Fused):
    """A cell and a head of affine maps with rectifiers between them.

    Args:
        cell: the recursive activation; only its kernel and sizes matter here.
        head: the widths from the embedding to the outputs, for example `(40, 40, 40, 1)`.
        readout: which states are an embedding.
    """

    def __init__(self, cell: Cell, head: Sequence[int], readout: Readout = "root") -> None:
        engine = native_object("Engine", *cell_sizes(cell), tuple(head), readout=readout)
        super().__init__(engine, head[-1])

    def arrays(self, inputs: Schedule) -> tuple[NDArray[Any], ...]:
        """Features, whether a node is an inner one, and offsets."""
        return _trees(inputs)


class FusedEvents(Fused):
    """A cell, a recurrent unit over the jets of an event, and a head; the twin of `FusedNetwork` for events.

    Args:
        cell: the recursive activation of jets, of which kernel and sizes matter; None where momenta alone are read.
        state: the size of the recurrent unit.
        head: the widths from its states to the outputs, for example `(40, 40, 40, 1)`.
        readout: which states are the embedding of a jet.
    """

    def __init__(self, cell: Cell | None, state: int, head: Sequence[int], readout: Readout = "root") -> None:
        sizes = cell_sizes(cell) if cell is not None else ("", 0, 0)
        super().__init__(native_object("EventEngine", *sizes, state, tuple(head), readout=readout), head[-1])
        self._reads_trees = cell is not None

    def arrays(self, inputs: EventSchedule) -> tuple[NDArray[Any], ...]:
        """Trees (none of any jet, where they are not read), momenta and offsets."""
        momenta = np.ascontiguousarray(inputs.momenta)
        if self._reads_trees:
            trees = inputs.trees
            if trees is None:
                raise BadJetError("this network reads the trees of jets; these events have none")
            return trees.features, trees.inner, trees.offsets, momenta, inputs.offsets
        nothing = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_), np.zeros(1, dtype=np.int64)
        return *nothing, momenta, inputs.offsets
