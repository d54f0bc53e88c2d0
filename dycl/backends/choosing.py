"""``--backend auto``: for each structure of sub-DNNs the backend that is fastest here.

Every candidate compiles one sub-DNN per structure and is checked beside PyTorch; those that
pass take short turns on the same random input, so that whatever else the machine does falls
on all of them alike.
"""

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dycl.backends.checking import Failure
from dycl.backends.compiling import compile_each, identity
from dycl.backends.diagnosing import diagnose
from dycl.backends.interface import Artifact, Backend, Workplace
from dycl.backends.running import load_artifact
from dycl.backends.trials import typical_inputs
from dycl.backends.weights_file import WeightsFile
from dycl.cache import Cache
from dycl.capture import CapturedSubDnn
from rewriter.diagnostics import CompileError

_ROUNDS = 7
_TURN_SECONDS = 0.005
"""How long a candidate's turn takes, at least one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which backend is to compile a structure, and why."""

    backend: Backend
    microseconds: Mapping[str, float]
    """Median time of a call, by backend."""
    refused: Mapping[str, str]
    """Backends that cannot compile it, or compute something else."""

    def as_json(self) -> Mapping[str, object]:
        """Return what the manifest keeps."""
        return {"microseconds": dict(self.microseconds), "refused": dict(self.refused)}


def choose(
    candidates: Sequence[Backend],
    subdnns: Sequence[CapturedSubDnn],
    cache: Cache,
    jobs: int | None = None,
) -> dict[str, Choice]:
    """Return the choice for each structure; raise CompileError where no candidate will do."""
    structures = {identity(subdnn): subdnn for subdnn in reversed(subdnns)}
    calls: dict[str, dict[str, Callable[..., Any]]] = {key: {} for key in structures}
    failures: dict[str, dict[str, Failure]] = {key: {} for key in structures}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        for backend in candidates:
            directory = Path(scratch, backend.name)
            directory.mkdir()
            results = _compile(backend, list(structures.values()), directory, cache, jobs)
            for key, result in zip(structures, results, strict=True):
                match result:
                    case Artifact():
                        call = load_artifact(backend, structures[key], result, directory)
                        calls[key][backend.name] = call
                    case Failure():
                        failures[key][backend.name] = result
        _require_some(candidates, structures, calls, failures)
        times = {key: measure(calls[key], structures[key]) for key in structures}
    named = {backend.name: backend for backend in candidates}
    return {
        key: Choice(
            backend=named[_fastest(times[key], list(calls[key]))],
            microseconds=times[key],
            refused={name: failure.message for name, failure in failures[key].items()},
        )
        for key in structures
    }


def _fastest(times: Mapping[str, float], able: Sequence[str]) -> str:
    """Return the fastest, or the first where nothing could be measured."""
    return min(times, key=times.__getitem__) if times else able[0]


def _compile(
    backend: Backend,
    subdnns: Sequence[CapturedSubDnn],
    directory: Path,
    cache: Cache,
    jobs: int | None,
) -> list[Artifact | Failure]:
    with WeightsFile(directory) as weights:
        place = Workplace(directory=directory, weights=weights, cache=cache)
        return compile_each(backend, subdnns, place, jobs)


def _require_some(
    candidates: Sequence[Backend],
    structures: Mapping[str, CapturedSubDnn],
    calls: Mapping[str, Mapping[str, object]],
    failures: Mapping[str, Mapping[str, Failure]],
) -> None:
    first = candidates[0]
    problems = [
        diagnose(first, subdnn, failures[key][first.name])
        for key, subdnn in structures.items()
        if not calls[key]
    ]
    if problems:
        raise CompileError(problems)


def measure(calls: Mapping[str, Callable[..., Any]], subdnn: CapturedSubDnn) -> dict[str, float]:
    """Return the median microseconds of each callable on the same random input.

    What raises on that input is left out: the input may not be one that the model could get.
    """
    arrays = [np.asarray(x) for x in typical_inputs(subdnn)]
    running = {name: call for name, call in calls.items() if _runs(call, arrays)}
    times: dict[str, list[float]] = {name: [] for name in running}
    for _ in range(_ROUNDS):
        for name, call in running.items():
            times[name].append(_turn(call, arrays))
    return {name: round(statistics.median(taken), 3) for name, taken in times.items()}


def _runs(call: Callable[..., Any], arrays: Sequence[Any]) -> bool:
    """Return whether a call works; what is lazy happens in this one, which is not measured."""
    try:
        call(*arrays)
    except Exception:
        return False
    return True


def _turn(call: Callable[..., Any], arrays: Sequence[Any]) -> float:
    """Return the microseconds of a call, averaged over a turn."""
    calls = 0
    begin = time.perf_counter()
    while True:
        call(*arrays)
        calls += 1
        taken = time.perf_counter() - begin
        if taken >= _TURN_SECONDS:
            return taken / calls * 1e6
