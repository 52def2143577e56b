"""An ONNX graph under construction: operators by name, constants by value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.extras import needed_for

with needed_for("ONNX"):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
OPSET = 17  # old enough for frameworks that do not follow every release


class Graph:
    """Operators that are added one after the other; each returns the name of its output.

    Args:
        parent: the graph around this one, whose values it may use: the body of a loop has one.
        prefix: of all names in it.
    """

    def __init__(self, parent: Graph | None = None, prefix: str = "") -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._prefix, self._count = (parent._new("body") + "/" if parent else "") + prefix, 0
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def _new(self, what: str) -> str:
        self._count += 1
        return f"{self._prefix}{what}_{self._count}"

    def add(self, operator: str, *inputs: str, outputs: int | None = None, **attributes: Any) -> Any:
        """Add an operator; returns the name of its output, or the names where `outputs` says how many."""
        names = [self._new(operator) for _ in range(outputs or 1)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs is None else names

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        """A constant tensor; equal ones are kept once."""
        array: NDArray[Any] = np.array(value, dtype=dtype, order="C")
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = self._new("constant")
            self.constants.append(numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def integers(self, *values: int) -> str:
        """A constant vector of integers: axes, shapes."""
        return self.constant(values, np.int64)

    def integer(self, value: int) -> str:
        """A constant integer."""
        return self.constant(value, np.int64)

    def affine(self, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
        """$W x + b$ of rows, `(rows, out)`, with $W$ of shape `(out, in)`."""
        return str(self.add("Gemm", x, self.constant(weight), self.constant(bias), transB=1))

    def reshape(self, x: str, rows: str, *columns: int) -> str:
        """Rows of a tensor in another shape: so many rows (a vector of one number), each of these columns."""
        shape = self.add("Concat", rows, self.integers(*columns), axis=0)
        return str(self.add("Reshape", x, shape, allowzero=1))

    def length(self, x: str) -> str:
        """The number of rows, as a vector of one number."""
        return str(self.add("Shape", x, start=0, end=1))

    def part(self, x: str, begin: str, end: str, axis: int = 0) -> str:
        """A slice, from and to vectors of one number."""
        return str(self.add("Slice", x, begin, end, self.integers(axis)))

    def loop(self, count: str, body: Graph, index: str, carried: list[str], updated: list[str]) -> list[str]:
        """Run a body so often; returns what it carried from turn to turn, in the end.

        Args:
            count: how often, a number.
            body: operators that read `index` and what is carried, by its `carried_names`.
            index: the name of the number of a turn in the body.
            carried: the floats that are carried, before the first turn.
            updated: the same after a turn, in the body.
        """

        def declared(name: str, kind: int = FLOAT, shape: list[int] | None = None) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(name, kind, shape)

        again = f"{index}/again"
        inputs = [declared(index, TensorProto.INT64, []), declared(again, TensorProto.BOOL, [])]
        inputs += [declared(name) for name in carried_names(index, len(carried))]
        outputs = [declared(body.add("Identity", again), TensorProto.BOOL, []), *map(declared, updated)]
        graph = helper.make_graph(body.nodes, f"{index}/body", inputs, outputs, body.constants)
        found: list[str] = self.add("Loop", count, "", *carried, outputs=len(carried), body=graph)
        return found


def carried_names(index: str, count: int) -> list[str]:
    """The names of what a loop carries, in its body."""
    return [f"{index}/carried_{number}" for number in range(count)]
