r"""The gated recurrent unit that reads an event jet by jet, Appendix B of arXiv:1702.00748."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.networks.initialisation import Role, RoleModule


class GRU(RoleModule):
    r"""From sequences of vectors $x_1, \dots, x_M$, of any length $M$, to their last states $h_M$.

    With $h_0 = 0$:

    - $z_j = \mathrm{sigmoid}(W_{zx} x_j + W_{zh} h_{j-1} + b_z)$, how much of the state is kept,
    - $r_j = \mathrm{sigmoid}(W_{rx} x_j + W_{rh} h_{j-1} + b_r)$, how much of it the candidate sees,
    - $\tilde h_j = \sigma(W_{hx} x_j + W_{hh} (r_j \odot h_{j-1}) + b_h)$ with $\sigma$ the rectifier,
    - $h_j = z_j \odot h_{j-1} + (1 - z_j) \odot \tilde h_j$.

    PyTorch's own has a hyperbolic tangent for $\sigma$, and resets $W_{hh} h_{j-1}$ instead of $h_{j-1}$.

    Args:
        inputs: length of $x_j$.
        hidden: $r$, the length of the states.

    Example:
        Sequences of 2, 2 and 1 vectors: two of them take the first step, all three the second.

        >>> gru = GRU(inputs=44, hidden=40)
        >>> gru(torch.zeros(5, 44), steps=[2, 3]).shape
        torch.Size([3, 40])
        >>> sum(weight.numel() for weight in gru.parameters())
        10200
    """

    kernel: ClassVar[str] = "gru"
    # In the order of the native engine's flat vector.
    roles: ClassVar[dict[str, Role]] = {
        "W_zx": "gate",
        "b_z": "bias",
        "W_rx": "gate",
        "b_r": "bias",
        "W_hx": "input",
        "b_h": "bias",
        "W_zh": "state",
        "W_rh": "state",
        "W_hh": "state",
    }

    def __init__(self, inputs: int, hidden: int = 40) -> None:
        super().__init__()
        if inputs < 1 or hidden < 1:
            raise SettingsError(f"a GRU needs at least 1 input and 1 hidden unit; found {inputs} and {hidden}")
        self.inputs, self.hidden = inputs, hidden
        for name in self.roles:
            shape = {"x": (hidden, inputs), "h": (hidden, hidden)}[name[-1]] if name.startswith("W") else (hidden,)
            self.register_parameter(name, self.weight(name, *shape))

    def forward(self, x: Tensor, steps: Sequence[int]) -> Tensor:
        """The last states, `(sequences, hidden)`.

        Args:
            x: the vectors of the first step, then those of the second, ..., `(vectors, inputs)`.
            steps: how many sequences take each step. They begin late and end together: the numbers never fall, and the
                sequences that a step takes are the first so many.
        """
        W_x, b, W_gates, W_hh = self._stacked()
        parts = nn.functional.linear(x, W_x, b).split_with_sizes(list(steps))  # all that needs no state, in one product
        h = x.new_zeros(0, self.hidden)
        for part in parts:
            h = torch.cat([h, h.new_zeros(len(part) - len(h), self.hidden)])
            from_gates, from_candidate = part.split_with_sizes([2 * self.hidden, self.hidden], dim=1)
            z, r = torch.sigmoid(torch.addmm(from_gates, h, W_gates)).chunk(2, dim=1)
            candidate = torch.relu(torch.addmm(from_candidate, r * h, W_hh))
            h = torch.lerp(candidate, h, z)
        return h

    def _stacked(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        r"""The weights of $z$, $r$ and $\tilde h$ side by side: few large products are faster than many small ones."""
        weight = self.get_parameter
        W_x = torch.cat([weight("W_zx"), weight("W_rx"), weight("W_hx")])
        b = torch.cat([weight("b_z"), weight("b_r"), weight("b_h")])
        return W_x, b, torch.cat([weight("W_zh"), weight("W_rh")]).t(), weight("W_hh").t()

    def extra_repr(self) -> str:
        """The sizes, as PyTorch prints them."""
        return f"inputs={self.inputs}, hidden={self.hidden}"
