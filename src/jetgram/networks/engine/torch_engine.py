"""The reference engine: level by level in PyTorch, with its automatic gradients, on any device in any precision."""

from __future__ import annotations

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from jetgram.inputs.schedule import Level, Schedule
from jetgram.networks.cells import READOUTS, Cell, Readout


def embed(
    cell: Cell,
    schedule: Schedule,
    jets: ArrayLike | None = None,
    features: Tensor | None = None,
    shift: Tensor | None = None,
    readout: Readout = "root",
) -> Tensor:
    """The embeddings of the chosen trees, `(jets, q)`, the states of their roots; or what else is read of the states.

    Deepest level first. Siblings are side by side, so that the states of one level, two to a row, are the inputs of the
    inner nodes of the level above.

    Args:
        cell: the recursive activation.
        schedule: the trees.
        jets: the numbers of the chosen trees, by default all.
        features: used instead of `schedule.features`, `(rows, features)`; may ask for gradients.
        shift: added to the state of each row, `(rows, q)`; where it is zero, its gradient is that of the states.
        readout: which states are an embedding; see `jetgram.networks.cells`.
    """
    weights = next(cell.parameters())
    levels = list(schedule.levels(jets))
    if not levels:
        return weights.new_zeros(0, READOUTS[readout].states * cell.hidden)
    if features is None:
        features = torch.from_numpy(schedule.features)
    rows = torch.cat([torch.from_numpy(level.rows) for level in levels])
    u = cell.node_input(features[rows.to(features.device)].to(weights))
    *above, states = torch.split(u, [len(level.rows) for level in levels])
    states = _shifted(states, levels[-1], shift)
    all_states = [states]  # the deepest level first
    for local, level in zip(reversed(above), reversed(levels[:-1]), strict=True):
        inner = torch.from_numpy(level.inner).to(weights.device)
        if readout == "children" and level is levels[0]:
            both = _shifted(local, level, shift).repeat(1, 2)  # of trees that are one leaf
            return both.index_copy(0, inner, states.view(len(inner), -1))
        states = local.index_copy(0, inner, cell(states.view(len(inner), -1), local[inner]))
        states = _shifted(states, level, shift)
        all_states.append(states)
    return READOUTS[readout].pool(all_states, levels)


def _shifted(states: Tensor, level: Level, shift: Tensor | None) -> Tensor:
    return states if shift is None else states + shift[torch.from_numpy(level.rows).to(shift.device)]
