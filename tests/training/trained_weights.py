"""The weights of trained models, to compare trainings bit for bit."""

import dataclasses
from pathlib import Path

import torch

from jetgram.models.model import JetModel
from jetgram.training.job import Job
from jetgram.training.train import train


def flat(model: JetModel) -> torch.Tensor:
    """All weights of a model, one after the other."""
    return torch.cat([weight.detach().reshape(-1) for weight in model.network.parameters()])


def assert_same_from_memory_cache_and_files(job: Job, folder: Path) -> None:
    """Train on what is prepared in memory, in `folder/cache`, and in files that go with `folder/streamed`."""
    in_memory = train(job)
    cached = train(dataclasses.replace(job, out=folder / "cached", cache=folder / "cache"))
    streamed = train(dataclasses.replace(job, out=folder / "streamed", memory=0.0))
    assert torch.equal(flat(in_memory), flat(cached))
    assert torch.equal(flat(in_memory), flat(streamed))
    assert list((folder / "cache").glob("*/block-*"))
    assert not (folder / "streamed" / "prepared").exists()
