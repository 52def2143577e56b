"""All parameters of a model as one flat vector, and Adam on it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from jetgram import backend
from jetgram.errors import SettingsError


class FlatParameters:
    """The parameters of a module, and their gradients, moved into one vector each; the module's are views of it.

    What changes the vector changes the module, and the other way round, as long as nothing replaces the module's
    tensors (`module.to(...)` does).

    Example:
        >>> layer = nn.Linear(2, 1)
        >>> flat = FlatParameters(layer)
        >>> flat.values.copy_(torch.tensor([1.0, 2.0, 3.0]))
        tensor([1., 2., 3.])
        >>> layer.weight.tolist(), layer.bias.tolist()
        ([[1.0, 2.0]], [3.0])
    """

    def __init__(self, module: nn.Module) -> None:
        parameters = list(module.parameters())
        self.values = torch.cat([weight.detach().reshape(-1) for weight in parameters])
        decays = [torch.full((weight.numel(),), weight.ndim > 1 and weight.requires_grad) for weight in parameters]
        self.decays = torch.cat(decays).to(self.values)  # 1 for numbers of trained matrices, 0 for all others
        self.gradient = torch.zeros_like(self.values)
        sizes = [weight.numel() for weight in parameters]
        views = zip(parameters, torch.split(self.values, sizes), torch.split(self.gradient, sizes), strict=True)
        for weight, values, gradient in views:
            weight.data = values.view(weight.shape)
            weight.grad = gradient.view(weight.shape)


class Adam:
    r"""Adam (arXiv:1412.6980) on a flat vector of parameters.

    $m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$,
    $p \leftarrow p - \eta \, \hat m / (\sqrt{\hat v} + \epsilon)$ with the moments' bias corrected. Its whole state is
    `mean`, `square` and `steps`.

    Args:
        parameters: what to optimise.
        rate: the learning rate $\eta$; may be changed between steps.
        betas: the decay rates $\beta_1, \beta_2$ of the moments.
        epsilon: keeps the step finite.
        weight_decay: $\lambda$ of AdamW (arXiv:1711.05101): before each step, $p \leftarrow (1 - \eta \lambda) p$ for
            the numbers of matrices that are trained (`requires_grad`).
        clip: gradients longer than this are shortened to it; None shortens none.
    """

    def __init__(
        self,
        parameters: FlatParameters,
        rate: float = 5e-4,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
        clip: float | None = None,
    ) -> None:
        self.parameters = parameters
        self.weight_decay, self.clip = weight_decay, clip
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.mean = torch.zeros_like(parameters.values)
        self.square = torch.zeros_like(parameters.values)
        self.steps = 0

    def step(self) -> None:
        """One update with the gradient that is in the parameters."""
        self.steps += 1
        values, gradient = self.parameters.values, self.parameters.gradient
        if self.clip is not None:
            gradient.mul_(min(1.0, self.clip / max(float(torch.linalg.vector_norm(gradient)), self.clip)))
        if self.weight_decay:
            values.addcmul_(values, self.parameters.decays, value=-self.rate * self.weight_decay)
        core = backend.native_core()
        if core is not None and values.device.type == "cpu" and values.dtype == torch.float32:
            arrays = (_array(values), _array(self.mean), _array(self.square))
            core.adam(_array(gradient), self.steps, self.rate, *self.betas, self.epsilon, *arrays)
            return
        beta1, beta2 = self.betas
        self.mean.mul_(beta1).add_(gradient, alpha=1 - beta1)
        self.square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        scale = (1 - beta2**self.steps) ** -0.5
        values.addcdiv_(self.mean, self.square.sqrt().mul_(scale).add_(self.epsilon), value=-self._corrected_rate)

    @property
    def _corrected_rate(self) -> float:
        return self.rate / (1 - self.betas[0] ** self.steps)

    def state(self) -> dict[str, Tensor]:
        """What a checkpoint needs: with it and the parameters, training goes on bit for bit."""
        return {"mean": self.mean.clone(), "square": self.square.clone(), "steps": torch.tensor(self.steps)}

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Go on from a `state`."""
        for name, target in (("mean", self.mean), ("square", self.square)):
            if state[name].shape != target.shape:
                raise SettingsError(
                    f"Adam's {name} has shape {tuple(state[name].shape)}; expected {tuple(target.shape)}"
                )
            target.copy_(state[name])
        self.steps = int(state["steps"])


def _array(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().numpy()
    return array
