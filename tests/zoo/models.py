"""The zoo's models for these tests, each built once per process."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from zoo import shallow_deep
from zoo.catalog import PICTURES, Entry, Family

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in PICTURES}

Run = Callable[..., Any]
Path = tuple[Any, ...]


@functools.cache
def prepared(name: str) -> tuple[torch.nn.Module, Run]:
    """Return the model of a name and its entry point. Tests leave the model as it is."""
    return ENTRIES[name].prepare()


@functools.cache
def samples(name: str, count: int) -> tuple[tuple[Tensor, ...], ...]:
    """Return the model's own sample inputs, seed 0."""
    return tuple(ENTRIES[name].module.sample_inputs(count, seed=0))


@functools.cache
def paths(name: str, count: int) -> tuple[Path, ...]:
    """Return the path of each sample input."""
    _, run = prepared(name)
    with torch.no_grad():
        outputs = [run(*sample) for sample in samples(name, count)]
    return tuple(ENTRIES[name].module.decide(output)[1] for output in outputs)


def on_models(names: list[str]) -> pytest.MarkDecorator:
    """Run a test on each of these models; on the large ones only among the slow tests."""
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=() if ENTRIES[name].trained else pytest.mark.slow)
            for name in names
        ],
    )


EVERY = list(ENTRIES)
EARLY_EXIT = [name for name, entry in ENTRIES.items() if entry.family is Family.EARLY_EXIT]
SHALLOW_DEEP = [name for name, entry in ENTRIES.items() if entry.module is shallow_deep]
GATED = [name for name, entry in ENTRIES.items() if entry.family is Family.SKIPPING]
TRAINED = [name for name, entry in ENTRIES.items() if entry.trained]
