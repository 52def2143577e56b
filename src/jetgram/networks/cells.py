r"""The recursive activations: how the state of a node follows from those of its children, and what of it is read.

At a leaf the state is $h_k = u_k$; at an inner node it is what the cell makes of $h_{k_L}$, $h_{k_R}$ and $u_k$. A new
cell is one class: its parameters, their roles, from which their first values follow, and `forward`. The torch engine
runs it without further ado.

The readout says which states are the embedding of a tree, which the network above reads:

`root`
    $h_1$, the state of the root, as in arXiv:1702.00748.
`children`
    $[h_L, h_R]$, the states of the root's two children, the harder one first: the last recombination is left to the
    network above, and the root's own momentum is not read. A tree of one particle has no children; both are the state
    of its leaf.
`mean`
    $[h_1, \frac1n \sum_k h_k]$, the state of the root and the mean of the states of all $n$ nodes, leaves among them:
    what lies deep in a tree reaches the network above without passing through all nodes on the way.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn

from jetgram.errors import SettingsError, require_known
from jetgram.inputs.schedule import Level
from jetgram.networks.initialisation import Role, RoleModule


class Cell(RoleModule):
    r"""Base of all cells: the local information $u_k = \sigma(W_u \, g(o_k) + b_u)$, with $\sigma$ the rectifier.

    Args:
        features: length of $g(o_k)$.
        hidden: $q$, the length of $u_k$ and of all states.
    """

    name: ClassVar[str]
    roles: ClassVar[dict[str, Role]] = {"W_u": "input", "b_u": "bias"}

    def __init__(self, features: int = 7, hidden: int = 40) -> None:
        super().__init__()
        if features < 1 or hidden < 1:
            raise SettingsError(f"a cell needs at least 1 feature and 1 hidden unit; found {features} and {hidden}")
        self.features, self.hidden = features, hidden
        self.W_u = self.weight("W_u", hidden, features)
        self.b_u = self.weight("b_u", hidden)

    def node_input(self, features: Tensor) -> Tensor:
        """The local information $u$ of nodes, `(nodes, q)`, from their features, `(nodes, features)`."""
        return torch.relu(nn.functional.linear(features, self.W_u, self.b_u))

    @abc.abstractmethod
    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        r"""The states `(nodes, q)` of inner nodes.

        Args:
            children: $[h_{k_L}, h_{k_R}]$, `(nodes, 2 q)`.
            u: $u_k$, `(nodes, q)`.
        """

    def extra_repr(self) -> str:
        """The sizes, as PyTorch prints them."""
        return f"features={self.features}, hidden={self.hidden}"


class Simple(Cell):
    r"""Eqn. 1 of arXiv:1702.00748: $h_k = \sigma(W_h [h_{k_L}, h_{k_R}, u_k] + b_h)$.

    Example:
        >>> sum(weight.numel() for weight in Simple(features=7, hidden=40).parameters())
        5160
    """

    name = kernel = "simple"
    roles: ClassVar[dict[str, Role]] = {**Cell.roles, "W_h": "recursion", "b_h": "bias"}

    def __init__(self, features: int = 7, hidden: int = 40) -> None:
        super().__init__(features, hidden)
        self.W_h = self.weight("W_h", hidden, 3 * hidden)
        self.b_h = self.weight("b_h", hidden)

    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        """The states of inner nodes, `(nodes, q)`."""
        return torch.relu(nn.functional.linear(torch.cat([children, u], dim=1), self.W_h, self.b_h))


class Gated(Cell):
    r"""Appendix A of arXiv:1702.00748, with reset gates $r$ and update gates $z$.

    With $x = [h_{k_L}, h_{k_R}, u_k]$:

    - $r = \mathrm{sigmoid}(W_r x + b_r)$,
    - $\tilde h = \sigma(W_h (r \odot x) + b_h)$,
    - $[z_H, z_L, z_R, z_N] = \mathrm{softmax}(W_z [\tilde h, x] + b_z)$ over the four blocks, separately for each unit,
    - $h_k = z_H \odot \tilde h + z_L \odot h_{k_L} + z_R \odot h_{k_R} + z_N \odot u_k$.

    Example:
        >>> sum(weight.numel() for weight in Gated(features=7, hidden=40).parameters())
        45440
    """

    name = kernel = "gated"
    roles: ClassVar[dict[str, Role]] = {
        **Simple.roles,
        "W_z": "gate",
        "b_z": "bias",
        "W_r": "gate",
        "b_r": "bias",
    }

    def __init__(self, features: int = 7, hidden: int = 40) -> None:
        super().__init__(features, hidden)
        self.W_h = self.weight("W_h", hidden, 3 * hidden)
        self.b_h = self.weight("b_h", hidden)
        self.W_z = self.weight("W_z", 4 * hidden, 4 * hidden)
        self.b_z = self.weight("b_z", 4 * hidden)
        self.W_r = self.weight("W_r", 3 * hidden, 3 * hidden)
        self.b_r = self.weight("b_r", 3 * hidden)

    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        """The states of inner nodes, `(nodes, q)`."""
        x = torch.cat([children, u], dim=1)
        r = torch.sigmoid(nn.functional.linear(x, self.W_r, self.b_r))
        candidate = torch.relu(nn.functional.linear(r * x, self.W_h, self.b_h))
        parts = torch.cat([candidate, x], dim=1)
        blocks = (len(u), 4, self.hidden)
        z = torch.softmax(nn.functional.linear(parts, self.W_z, self.b_z).view(blocks), dim=1)
        return (z * parts.view(blocks)).sum(dim=1)


class Blend(Cell):
    r"""One product gives a candidate, and the gates that blend it with the states of the children.

    With $G$ groups of units, unit $i$ in group $i \bmod G$:

    - $[a, c, l, r] = W_h [h_{k_L}, h_{k_R}, u_k] + b_h$, of lengths $q, G, G, G$,
    - $(p_c, p_l, p_r) = \mathrm{softmax}(c, l, r)$ over the three, separately for each group,
    - $h_k = p_c \odot \sigma(a) + p_l \odot h_{k_L} + p_r \odot h_{k_R}$.

    A state can so pass through a node unchanged, as with `Gated`, for a third of the work of `Gated` per unit.

    Example:
        >>> sum(weight.numel() for weight in Blend(features=15, hidden=32).parameters())
        5944
    """

    name = kernel = "blend"
    groups: ClassVar[int] = 8  # that of the native kernel: the length of a vector register
    roles: ClassVar[dict[str, Role]] = {**Cell.roles, "W_h": "mixing", "b_h": "bias"}

    def __init__(self, features: int = 7, hidden: int = 40) -> None:
        super().__init__(features, hidden)
        outputs = hidden + 3 * self.groups
        self.W_h = self.weight("W_h", outputs, 3 * hidden)
        self.b_h = self.weight("b_h", outputs)

    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        """The states of inner nodes, `(nodes, q)`."""
        sums = nn.functional.linear(torch.cat([children, u], dim=1), self.W_h, self.b_h)
        candidate, gates = torch.split(sums, [self.hidden, 3 * self.groups], dim=1)
        weights = torch.softmax(gates.view(len(u), 3, self.groups), dim=1)
        weights = weights.repeat(1, 1, -(-self.hidden // self.groups))[:, :, : self.hidden]
        left, right = torch.split(children, self.hidden, dim=1)
        return (weights * torch.stack([torch.relu(candidate), left, right], dim=1)).sum(dim=1)


CELLS: dict[str, type[Cell]] = {cell.name: cell for cell in (Simple, Gated, Blend)}


def cell_named(name: str, features: int = 7, hidden: int = 40) -> Cell:
    """The cell of this name.

    Example:
        >>> cell_named("gated", features=7, hidden=40)
        Gated(features=7, hidden=40)
    """
    require_known("no cell", name, CELLS)
    return CELLS[name](features, hidden)


Readout = Literal["root", "children", "mean"]


class ReadoutForm(NamedTuple):
    """A way to read the states of trees.

    Args:
        states: how many an embedding consists of.
        pool: the embeddings, `(jets, states q)`, from the states of all levels, the deepest first, and these levels;
            for `children` only of trees that are one leaf, since the engine stops before the root.
        title: what the title of a model says of it.
    """

    states: int
    pool: Callable[[Sequence[Tensor], Sequence[Level]], Tensor]
    title: str


def _root_and_mean(states: Sequence[Tensor], levels: Sequence[Level]) -> Tensor:
    """The state of the root, and the mean of the states of each tree."""
    jet = torch.arange(len(levels[0].rows))  # of each row of a level
    jets = [jet]
    for level in levels[:-1]:
        jet = jet[torch.from_numpy(level.inner)].repeat_interleave(2)
        jets.append(jet)
    where, (*_, roots) = torch.cat(jets[::-1]), states
    nodes = torch.bincount(where, minlength=len(roots)).to(roots)
    means = torch.zeros_like(roots).index_add(0, where.to(roots.device), torch.cat(list(states))) / nodes[:, None]
    return torch.cat([roots, means], dim=1)


READOUTS: Mapping[Readout, ReadoutForm] = {
    "root": ReadoutForm(1, lambda states, levels: states[-1], ""),
    "children": ReadoutForm(2, lambda states, levels: states[-1].repeat(1, 2), ", children of the root"),
    "mean": ReadoutForm(2, _root_and_mean, ", root and mean"),
}
