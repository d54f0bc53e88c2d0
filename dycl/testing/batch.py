"""Everything that the kit runs, compiled at once: backends take many for little more than one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dycl.backends import Artifact, Backend, Workplace
from dycl.backends.checking import Failure
from dycl.backends.compiling import compile_each
from dycl.backends.running import load_artifact
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.testing.operators import INDEX, TRIALS, Trial, X
from dycl.testing.subdnns import capture_function
from dycl.verification.comparison import compare


def _layer(outputs: int, seed: int) -> nn.Linear:
    torch.manual_seed(seed)
    return nn.Linear(4, outputs)


LAYERS: Mapping[str, Trial] = {
    f"layer {seed}": Trial(function=_layer(outputs, seed), inputs=(X,))
    for seed, outputs in enumerate((3, 3, 300, 300))
}
"""Two and two of one structure; the weights of the first are so small that one may write them
into code."""

CALLS: Mapping[str, Trial] = {
    "twice": Trial(function=lambda x: x * 2, inputs=(X,)),
    "chosen": Trial(function=lambda x, i: x[i], inputs=(X, INDEX)),
    "view and sum": Trial(function=lambda x: (x.view(-1), x + 1), inputs=(X,)),
}
"""Functions of which it matters how they are called."""

ALL: Mapping[str, Trial] = {**TRIALS, **LAYERS, **CALLS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """Trials as a host package would run them."""

    found: Mapping[str, Callable[..., Any] | Failure]

    def of(self, name: str) -> Callable[..., Any]:
        """Return a trial that must not be refused."""
        match self.found[name]:
            case Failure() as failure:
                raise AssertionError(f"{name} is refused: {failure.code}: {failure.message}")
            case call:
                return call


def compile_trials(
    backend: Backend,
    directory: Path,
    names: Iterable[str] = tuple(ALL),
    cache: Cache | None = None,
) -> Compiled:
    """Compile trials together and load each."""
    subdnns = {
        name: capture_function(ALL[name].function, *ALL[name].inputs, name=f"subdnn_{number}")
        for number, name in enumerate(names)
    }
    artifacts = directory / "artifacts"
    artifacts.mkdir()
    found: dict[str, Callable[..., Any] | Failure] = {}
    with WeightsFile(artifacts) as weights:
        cache = cache or Cache(directory / "cache")
        place = Workplace(directory=artifacts, weights=weights, cache=cache)
        results = compile_each(backend, list(subdnns.values()), place)
    for (name, subdnn), result in zip(subdnns.items(), results, strict=True):
        match result:
            case Artifact():
                found[name] = load_artifact(backend, subdnn, result, artifacts)
            case Failure():
                found[name] = result
    return Compiled(found=found)


def difference(trial: Trial, results: object) -> str:
    """Return how results differ from PyTorch's, "" if they do not."""
    with torch.no_grad():
        expected = trial.function(*(x.clone() for x in trial.inputs))
    wanted = [expected] if isinstance(expected, Tensor) else list(expected)
    found = [results] if isinstance(results, np.ndarray) else list(results)  # type: ignore[call-overload]
    comparison = compare(wanted, found)
    beyond = "" if comparison.within_tolerance else "beyond the tolerance"
    return "; ".join([*comparison.mismatches, *([beyond] if beyond else [])])
