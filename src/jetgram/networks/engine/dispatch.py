"""Which engine runs: the native one where it can, else the reference."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.inputs.representation import Representation
from jetgram.inputs.schedule import Schedule
from jetgram.networks.cells import Cell
from jetgram.networks.engine import native_engine, torch_engine
from jetgram.networks.engine.capability import obstacle
from jetgram.networks.engine.readout import Readout

EngineName = Literal["auto", "native", "torch"]
ENGINES: tuple[EngineName, ...] = ("auto", "native", "torch")


def choose_engine(
    module: nn.Module, engine: EngineName = "auto", inputs: Representation | None = None
) -> Literal["native", "torch"]:
    """`native` or `torch`: what was asked for, or what `auto` means for this cell or network (on these inputs)."""
    if engine not in ENGINES:
        raise SettingsError(f"no engine is called {engine!r}; expected one of {', '.join(ENGINES)}")
    if engine == "torch":
        return "torch"
    reason = obstacle(module, inputs)
    if not reason:
        return "native"
    if engine == "native":
        raise SettingsError(f"the native engine cannot work here: {reason}")
    return "torch"


def embed(
    cell: Cell,
    schedule: Schedule,
    jets: ArrayLike | None = None,
    engine: EngineName = "auto",
    readout: Readout = "root",
) -> Tensor:
    """The embeddings of the chosen trees, `(jets, q)` for each state that is read, by the engine asked for."""
    if choose_engine(cell, engine, schedule) == "native":
        return native_engine.embed(cell, schedule, jets, readout)
    return torch_engine.embed(cell, schedule, jets, readout=readout)
