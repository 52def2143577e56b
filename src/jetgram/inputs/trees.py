"""Jets as trees: of their constituents, or of the pixels of their images."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.images import TRIM, full_images
from jetgram.inputs.representation import InputSettings, Reading
from jetgram.inputs.scaler import Scaler, Scaling
from jetgram.inputs.schedule import Schedule, joined
from jetgram.jets.cleaning import clean
from jetgram.jets.images import DEFAULT_CHAIN, ChainName
from jetgram.jets.preprocess import preprocess
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets, Momenta
from jetgram.trees.features import FEATURE_SETS, FeatureSet, find_features
from jetgram.trees.topologies import build_trees, find_topology
from jetgram.trees.trees import Trees
from jetgram.validity import require_good

Fraction = Annotated[float, pydantic.Field(gt=0, lt=1)]


def _default_preprocess(data: dict[str, Any]) -> bool:
    return find_features(data.get("features", "paper")).preprocess


class AnyTreeInput(InputSettings):
    """What trees of constituents and of pixels have in common.

    Args:
        topology: a name in `jetgram.trees.topologies`, or several joined by `+` (`kt+desc-pt`): stereo trees.
        features: the set of node features, a name in `jetgram.trees.features`, with columns of particles joined to it,
            `paper+charge+onehot:pdgid`, or as a list; see `jetgram.trees.particle_features`.
        tree_seed: of the `random` topology.
    """

    representation = Schedule
    leaf_title: ClassVar[str] = ""  # of the leaves in the title of a model, where they are not the constituents

    topology: str = "kt"
    features: str = "paper"
    tree_seed: int = pydantic.Field(default=0, ge=0, lt=2**63)

    @pydantic.field_validator("topology")
    @classmethod
    def _known_topologies(cls, joined_names: str) -> str:
        names = joined_names.split("+")
        for name in names:
            try:
                find_topology(name)
            except SettingsError as error:
                raise ValueError(f"{error}; or register it with jetgram.register") from None
        if len(set(names)) < len(names):
            raise ValueError("expected different topologies")
        return joined_names

    @pydantic.field_validator("features", mode="before")
    @classmethod
    def _joined(cls, names: Any) -> Any:
        return "+".join(map(str, names)) if isinstance(names, list | tuple) else names

    @pydantic.field_validator("features")
    @classmethod
    def _known_features(cls, name: str) -> str:
        if name.partition("+")[0] not in FEATURE_SETS:
            raise ValueError(f"expected one of {', '.join(FEATURE_SETS)}, or a set that you register")
        find_features(name)
        return name

    @property
    def feature_set(self) -> FeatureSet:
        """What is read at each node."""
        return find_features(self.features)

    @property
    def topologies(self) -> tuple[str, ...]:
        """The trees that are built of each jet."""
        return tuple(self.topology.split("+"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The features of nodes."""
        return self.feature_set.names

    @property
    def scaling(self) -> Scaling:
        """How the features are scaled."""
        return self.feature_set.scaling

    @property
    def particle_columns(self) -> tuple[str, ...]:
        """What the features take of particles besides their momenta."""
        return self.feature_set.particles

    @property
    def tree_input(self) -> AnyTreeInput:
        """These settings themselves."""
        return self

    @abc.abstractmethod
    def leaves(self, jets: Jets, first: int = 0, checked: bool = False) -> Jets:
        """The jets whose constituents are the leaves, without fault; `checked` ones are known to have none."""

    @property
    @abc.abstractmethod
    def leaf_steps(self) -> tuple[str, ...]:
        """What `leaves` does to a jet, step by step in words; empty where it does nothing."""

    def trees(self, jets: Jets, first: int = 0) -> Iterator[tuple[Trees, NDArray[np.float32]]]:
        """The trees of jets as they were found and the features of their nodes, one topology after the other."""
        leaves = self.leaves(jets, first)
        self.require_particles(leaves)
        return (self._tree(leaves, topology, first) for topology in self.topologies)

    def _read(self, rows: Jets, first: int, scaler: Scaler | None = None) -> Reading:
        jets = self.leaves(rows, first, checked=True)
        self.require_particles(jets)
        views = [self._schedule(jets, topology, first, scaler) for topology in self.topologies]
        return Reading.of_sum(joined(views), jets)

    def _read_scaled(self, rows: Jets, first: int, scaler: Scaler) -> Reading:
        return self._read(rows, first, scaler)

    def _schedule(self, jets: Jets, topology: str, first: int, scaler: Scaler | None) -> Schedule:
        """In one pass where the native core can, else step by step."""
        found = tree_rows(jets, topology, self.tree_seed, self.feature_set, scaler, checked=True)
        if found is not None:
            return found
        steps = Schedule.from_trees(*self._tree(jets, topology, first))
        return steps if scaler is None else steps.scaled(scaler)

    def _tree(self, jets: Jets, topology: str, first: int) -> tuple[Trees, NDArray[np.float32]]:
        trees = build_trees(jets, topology, self.tree_seed)
        return trees, _single_precision(self.feature_set.compute(trees, jets.particles), trees, first)

    def require_particles(self, rows: Momenta) -> None:
        """Raise a `BadJetError` if the particles have not all that the features take."""
        for name in self.particle_columns:
            if name not in rows.particles:
                found = f"features = {self.features} reads the {name} of particles, and these have none"
                there = f"; they have: {', '.join(rows.particles)}" if rows.particles else ""
                how = "generate them with --level pflow, or leave" if name == "pclass" else "take others, or leave"
                raise BadJetError(f"{found}{there}; {how} features = paper")


class TreeInput(AnyTreeInput):
    """Trees over the constituents of jets.

    Args:
        topology: a name in `jetgram.trees.topologies`, or several joined by `+` (`kt+desc-pt`): stereo trees.
        features: the set of node features, a name in `jetgram.trees.features`, with columns of particles joined to it,
            `paper+charge+onehot:pdgid`, or as a list; see `jetgram.trees.particle_features`.
        preprocess: turn every jet into the frame of its subjets before the tree is built.
        trim: drop subjets below this fraction of the jet's pT; None keeps everything.
        tree_seed: of the `random` topology.

    Example:
        The two hard particles of a trimmed jet:

        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.5, -0.5], [0.0, 0.0, 0.1])])
        >>> found = TreeInput(trim=0.05).read(jets)
        >>> found.inputs, found.pt_and_mass
        (<Schedule: 1 trees with 3 nodes of 7 features>, (array([...]), array([...])))
    """

    kind: Literal["trees"] = "trees"
    preprocess: bool = pydantic.Field(default_factory=_default_preprocess)
    trim: Fraction | None = None

    def leaves(self, jets: Jets, first: int = 0, checked: bool = False) -> Jets:
        """The jets trimmed, in their own frame and clean, as far as these settings and features say."""
        found = jets
        if self.preprocess:
            found = preprocess(jets, self.trim)
        elif self.trim is not None:
            found = trim(jets, self.trim)
        if not (checked and found is jets):
            require_good(found)
        return clean(found, checked=True) if self.cleans else found

    @property
    def cleans(self) -> bool:
        """Jets are cleaned for features that are logarithms."""
        return self.feature_set.clean

    @property
    def leaf_steps(self) -> tuple[str, ...]:
        """Trimming, the change of frame, cleaning."""
        trimmed = ("trimmed",) if self.trim is not None else ()
        turned = ("boosted", "rotated", "reflected") if self.preprocess else ()
        return (*trimmed, *turned, *(("cleaned of the softest constituents",) if self.cleans else ()))

    def flat(self) -> dict[str, Any]:
        """What decides the trees."""
        return self.model_dump(mode="json", exclude={"kind"})


class PixelInput(AnyTreeInput):
    """Trees over the pixels of the images of jets; images are translated, rotated and reflected themselves.

    Args:
        topology: a name in `jetgram.trees.topologies`, or several joined by `+` (`kt+desc-pt`): stereo trees.
        features: the set of node features, a name in `jetgram.trees.features`, with columns of particles joined to it,
            `paper+charge+onehot:pdgid`, or as a list; see `jetgram.trees.particle_features`.
        trim: drop subjets below this fraction of the jet's pT; None keeps everything.
        image_chain: how images are made: `spline`, as the paper's were, or `shared`, which conserves pT.
        tree_seed: of the `random` topology.
    """

    leaf_title = " on pixels"

    kind: Literal["pixels"] = "pixels"
    trim: Fraction | None = TRIM
    image_chain: ChainName = DEFAULT_CHAIN

    @pydantic.field_validator("features")
    @classmethod
    def _of_momenta(cls, name: str) -> str:
        particles = find_features(name).particles
        if particles:
            raise ValueError(f"pixels have no {particles[0]}")
        return name

    def leaves(self, jets: Jets, first: int = 0, checked: bool = False) -> Jets:
        """The pixels as constituents."""
        pixels = full_images(jets, self.trim, self.image_chain, first).to_jets()
        require_good(pixels)
        return pixels

    @property
    def leaf_steps(self) -> tuple[str, ...]:
        """Its image."""
        return ("the pixels of its image",)

    def flat(self) -> dict[str, Any]:
        """What decides the trees."""
        return {"input": self.kind, "preprocess": False, **self.model_dump(mode="json", exclude={"kind"})}


def tree_rows(
    jets: Jets,
    topology: str,
    seed: int,
    features: FeatureSet,
    scaler: Scaler | None = None,
    checked: bool = False,
) -> Schedule | None:
    """The schedule of the trees over jets, with their features in single precision.

    The same, bit for bit, as `build_trees`, the features of the set, `Schedule.from_trees` and `Schedule.scaled` one
    after the other: a few jets at a time instead of step by step, so that everything stays in cache.

    Args:
        jets: without fault, as the features need them: in their frame, or clean.
        topology: a name in `jetgram.trees.topologies`.
        seed: of the `random` topology.
        features: of the nodes.
        scaler: of the features; None leaves them as they are.
        checked: the jets are known to be without fault.

    Returns:
        None where the native core is missing, or does not know this topology or these features, or where features are
        too large for single precision: the single steps do, or say which jet it is.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.trees.features import find_features
        >>> constituents = from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])
        >>> tree_rows(Jets.from_lists([constituents]), "kt", 0, find_features("paper"))
        <Schedule: 1 trees with 5 nodes of 7 features>
    """
    core, kernel = backend.native_core(), find_topology(topology).kernel
    if core is None or kernel is None or features.kernel is None:
        return None
    if not checked:
        require_good(jets)
    parts = (np.empty(0, dtype=np.float32),) * 3 if scaler is None else scaler.single_precision
    offsets = 2 * jets.offsets - np.arange(len(jets) + 1)
    rows = np.empty((offsets[-1], len(features.names)), dtype=np.float32)
    inner = np.empty(offsets[-1], dtype=np.bool_)
    too_large = core.tree_rows(
        jets.momenta, jets.offsets, kernel, seed, features.kernel, *parts, backend.threads(), rows, inner
    )
    return Schedule(rows, inner, offsets) if too_large < 0 else None


def _single_precision(features: NDArray[np.float64], trees: Trees, first_jet: int) -> NDArray[np.float32]:
    """The features in the precision of the networks; momenta that are legal, but too large for it, are an error."""
    with np.errstate(over="ignore"):
        single = features.astype(np.float32)
    too_large = np.isinf(single).any(axis=1)  # NaN stands for a feature that a node does not have
    if too_large.any():
        row = int(np.argmax(too_large))
        jet = first_jet + int(np.searchsorted(trees.offsets, row, side="right")) - 1
        raise BadJetError(f"jet {jet}: its momenta are too large for single precision: {trees.momenta[row].tolist()}")
    return single
