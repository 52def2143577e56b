"""Whole recipes, network and training together, by name.

`paper`
    That of arXiv:1702.00748: all settings at their defaults.
`modern`
    A blend cell over Lund features of Cambridge/Aachen trees, with the mean of all states next to the root's; AdamW
    with a warm-up, a cosine schedule and clipped gradients. More accurate than the paper's networks, in a tenth of the
    time of its gated one.
`pfn`, `efn`, `lundnet`, `particlenet`, `part`
    Networks of others to compare with; see `jetgram.networks.peers`. Each with the optimizer, rate and schedule of its
    paper, in so many epochs as a sample of 100,000 jets needs, and in batches of 256: published batches are of 256 to
    1024 jets out of a million and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jetgram.errors import require_known

# What recipes of others have in common; weights decay where dropout was published.
_PEER = {"initialisation": "uniform", "batch": 256, "schedule": "cosine", "warm_up": 0.05, "clip": 1.0}
_GRAPH = {**_PEER, "epochs": 15, "weight_decay": 0.01}  # AdamW and one cycle of the rate, as published

RECIPES: Mapping[str, Mapping[str, Any]] = {
    "paper": {},
    "modern": {
        "cell": "blend",
        "topology": "ca",
        "features": "lund",
        "hidden": 32,
        "readout": "mean",
        "initialisation": "uniform",
        "epochs": 12,
        "batch": 256,
        "rate": 5e-3,
        "schedule": "cosine",
        "warm_up": 0.05,
        "weight_decay": 0.01,
        "clip": 1.0,
    },
    "pfn": {**_PEER, "network": "pfn", "epochs": 20, "rate": 1e-3},
    "efn": {**_PEER, "network": "efn", "epochs": 20, "rate": 1e-3},
    "lundnet": {**_GRAPH, "network": "lundnet", "rate": 1e-3},
    "particlenet": {**_GRAPH, "network": "particlenet", "leading": 100, "rate": 3e-3},
    "part": {**_GRAPH, "network": "part", "leading": 128, "rate": 1e-3},
}


def with_recipe(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with those of their `recipe`, if they name one; what they say themselves counts.

    Example:
        >>> with_recipe({"recipe": "modern", "hidden": 64})["hidden"], with_recipe({"recipe": "modern"})["cell"]
        (64, 'blend')
        >>> with_recipe({"recipe": "modren"})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no recipe 'modren'; did you mean 'modern'?
    """
    rest = dict(values)
    name = rest.pop("recipe", "paper")
    require_known("no recipe", name, RECIPES)
    return {**RECIPES[name], **rest}
