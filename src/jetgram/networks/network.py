"""The whole network: an embedding of jets or events, and a head; predictions and training steps by either engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.inputs.representation import Representation
from jetgram.networks.cells import cell_named
from jetgram.networks.classification import Binary
from jetgram.networks.engine.capability import EngineName, attached, native_weights
from jetgram.networks.engine.native_engine import Fused, flat_vector
from jetgram.networks.engine.parameters import FlatParameters
from jetgram.networks.events import EventEmbedding
from jetgram.networks.heads import LOSSES, Head
from jetgram.networks.initialisation import DEFAULT_SCHEME, Scheme, initialise
from jetgram.networks.recursive import Embedding, RecursiveEmbedding
from jetgram.ragged import numbers


class JetNetwork(nn.Module):
    """From trees (or events) to outputs: an embedding, then a head.

    With an `EventEmbedding` it reads events: `trees` are the events, and `jets` their numbers.

    Example:
        >>> for cell in ("simple", "gated"):
        ...     print(cell, sum(weight.numel() for weight in jet_classifier(cell).parameters()))
        simple 8481
        gated 48761
    """

    kernel: ClassVar[str] = "network"

    def __init__(self, embedding: Embedding, head: Head) -> None:
        super().__init__()
        self.embedding = embedding
        self.head = head

    def forward(self, trees: Representation, jets: ArrayLike | None = None) -> Tensor:
        """The outputs `(jets, outputs)` for the chosen trees (by default all), with gradients."""
        outputs: Tensor = self.head(self.embedding(trees, jets))
        return outputs

    def engine(self, trees: Representation | None = None) -> EngineName:
        """The engine that works for this network (on these trees): `native` or `torch`.

        Where the network as a whole has no native twin it is `torch`, which may still call the native one for parts.
        """
        return "native" if self.fused(trees) is not None else "torch"

    def fused(self, trees: Representation | None = None) -> Fused | None:
        """The native twin of this network (for these trees), which takes its weights as one flat vector; or None.

        There is none where a part of the network is not what the native engine knows; with `engine="native"` that is an
        error. See `jetgram.networks.engine.capability`.
        """
        twin = self._twin(trees)
        return None if twin is None else twin[0]

    def _twin(self, trees: Representation | None) -> tuple[Fused, list[nn.Parameter]] | None:
        """The native twin, and the weights that it takes."""
        embedding = self.embedding
        weights = native_weights(self, embedding.engine, trees)
        if weights is None:
            return None
        twin = embedding.fused(self.head.widths)
        shapes = [weight.shape for weight in weights]
        if shapes == twin.parameter_shapes:
            return twin, weights
        if embedding.engine == "native":
            found = f"found weights of shapes {[tuple(shape) for shape in shapes]}, expected {twin.parameter_shapes}"
            raise SettingsError(f"the native engine cannot work here: a layer was replaced; {found}")
        return None

    @torch.no_grad()
    def predict(self, trees: Representation, jets: ArrayLike | None = None) -> NDArray[np.floating]:
        """The outputs `(jets, outputs)` for the chosen trees (by default all), as an array and without gradients."""
        twin = self._twin(trees)
        if twin is not None:
            fused, weights = twin
            return fused.predict(flat_vector(weights), trees, jets)
        outputs: NDArray[np.floating] = self(trees, jets).cpu().numpy()
        return outputs


class TrainingStep:
    r"""Loss and gradient of batches: $\frac1B \sum_i w_i \ell(f(t_i), y_i)$, by the network's engine.

    With the native engine it is one call: schedule, forward, head, loss, backward, sum. The network's parameters become
    views of one flat vector, `parameters.values`, and the gradient is in `parameters.gradient`.

    Args:
        network: what is trained.
    """

    def __init__(self, network: JetNetwork) -> None:
        self.network = network
        self.parameters = FlatParameters(network)
        self._kernel = LOSSES[network.head.loss].kernel
        self._fused = self._twin()

    def __call__(
        self, trees: Representation, jets: ArrayLike | None, targets: ArrayLike, weights: ArrayLike | None = None
    ) -> float:
        """The loss of a batch; its gradient replaces the one before.

        Args:
            trees: the trees.
            jets: the numbers of the trees in the batch; None for all.
            targets: one per jet and output, `(jets,)` or `(jets, outputs)`.
            weights: one per jet, by default 1.
        """
        chosen = numbers(jets, len(trees))
        y = np.asarray(targets).reshape(len(chosen), self.network.head.outputs)
        w = np.full(len(chosen), 1 / max(len(chosen), 1))
        if weights is not None:
            w *= np.asarray(weights)
        if self._fused is None or trees.dtype != np.float32 or self._changed():
            return self._reference(trees, chosen, torch.as_tensor(y), torch.as_tensor(w))
        y, w = np.ascontiguousarray(y, dtype=np.float32), w.astype(np.float32)
        values, gradient = self.parameters.values.numpy(), self.parameters.gradient.numpy()
        return self._fused.step(values, trees, chosen, y, w, self._kernel or "", gradient)

    def minimise(self, trees: Representation, jets: ArrayLike, objective: Callable[[Tensor], Tensor]) -> float:
        """The value of any objective of the outputs of a batch; its gradient replaces the one before.

        The native engine gives the outputs, PyTorch the slopes of the objective, and the native engine takes them back
        through the network: a step with one forward pass more.

        Args:
            trees: the trees.
            jets: the numbers of the trees in the batch.
            objective: from outputs `(jets, outputs)` to one number, differentiable.
        """
        chosen = numbers(jets, len(trees))
        if self._fused is None or trees.dtype != np.float32 or self._changed():
            self.parameters.gradient.zero_()
            loss = objective(self.network(trees, chosen))
            loss.backward()  # type: ignore[no-untyped-call]
            return loss.item()
        values, gradient = self.parameters.values.numpy(), self.parameters.gradient.numpy()
        outputs = torch.from_numpy(self._fused.predict(values, trees, chosen)).requires_grad_()
        loss = objective(outputs)
        (slopes,) = torch.autograd.grad(loss, outputs)
        self._fused.backward(values, trees, chosen, slopes.numpy(), gradient)
        return loss.item()

    def _twin(self) -> Fused | None:
        """The native twin, whose steps train all weights; one that is kept as it is (`requires_grad`) needs PyTorch."""
        fixed = [name for name, weight in self.network.named_parameters() if not weight.requires_grad]
        if fixed and self.network.embedding.engine == "native":
            raise SettingsError(f"the native engine trains all weights; {fixed[0]} is not to be trained")
        if self._kernel is None and self.network.embedding.engine == "native":
            raise SettingsError(f"the native engine does not know the loss {self.network.head.loss}; use auto")
        return None if fixed or self._kernel is None else self.network.fused()

    def _changed(self) -> bool:
        """Whether something was attached to the network, such as a hook, since its native twin was made."""
        reason = attached(self.network)
        if reason and self.network.embedding.engine == "native":
            raise SettingsError(f"the native engine cannot go on: {reason}")
        return bool(reason)

    def _reference(self, trees: Representation, jets: NDArray[np.int64], targets: Tensor, weights: Tensor) -> float:
        values = self.parameters.values
        self.parameters.gradient.zero_()
        losses = self.network.head.losses(self.network(trees, jets), targets.to(values))
        loss = (losses * weights.to(values)).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()


BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


def require_weights_alone(network: nn.Module) -> None:
    """Raise a `SettingsError` if a network keeps more than weights, which is all that checkpoints hold."""
    for name, part in network.named_modules():
        if isinstance(part, BATCH_NORMS):
            found = f"{name} is a {type(part).__name__}, with which a score depends on other jets"
            raise SettingsError(f"{found}; use nn.LayerNorm")
    weights = dict(network.named_parameters(remove_duplicate=False))
    for name in network.state_dict():
        if name not in weights:
            wanted = "a parameter, or a constant (register_buffer with persistent=False)"
            raise SettingsError(f"{name} is a buffer, and checkpoints hold parameters alone; expected {wanted}")


def jet_classifier(
    cell: str = "simple",
    features: int = 7,
    hidden: int = 40,
    scheme: Scheme = DEFAULT_SCHEME,
    seed: int = 0,
    engine: EngineName = "auto",
) -> JetNetwork:
    """The paper's jet classifier with initialised weights: 8,481 (simple) or 48,761 (gated) parameters."""
    return _classifier(RecursiveEmbedding(cell_named(cell, features, hidden), engine), scheme, seed)


def event_classifier(
    cell: str = "simple",
    features: int = 7,
    hidden: int = 40,
    state: int = 40,
    scheme: Scheme = DEFAULT_SCHEME,
    seed: int = 0,
    engine: EngineName = "auto",
) -> JetNetwork:
    """The paper's event classifier with initialised weights, a GRU with `state` units over the embeddings of jets.

    Example:
        >>> sum(weight.numel() for weight in event_classifier().parameters())
        18681
    """
    jets = RecursiveEmbedding(cell_named(cell, features, hidden), engine)
    return _classifier(EventEmbedding(jets, state, engine), scheme, seed)


def _classifier(embedding: Embedding, scheme: Scheme, seed: int) -> JetNetwork:
    network = JetNetwork(embedding, Binary(embedding.outputs))
    initialise(network, scheme, seed)
    return network
