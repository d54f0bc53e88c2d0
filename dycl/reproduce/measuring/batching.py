"""Milliseconds per input for batches of growing size, each system in turns with eager PyTorch.

A system is a function from a list of inputs to their outputs. Eager PyTorch and packages take the
inputs one by one; what runs many at once, like DyNet with auto-batching or a package that was
compiled for many inputs, gets the list as it is.
"""

import math
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from torch import Tensor, nn

from dycl.contenders import EAGER
from dycl.reproduce.catalog import Batched
from dycl.reproduce.measuring.subject import CannotMeasure, Subject, measuring_alone, package_of
from dycl.verification.verifying import entry_point, to_host

Inputs: TypeAlias = Sequence[tuple[Any, ...]]
RunBatch: TypeAlias = Callable[[Inputs], Sequence[Any]]

_ROUNDS, _SECONDS = 5, 10.0
"""Turns of each system for each size; fewer where they take longer together."""

_LARGEST_ERROR = 1e-3
"""Of an output: a system that computes something else is no contender."""


def measure(subject: Subject) -> dict[str, Any]:
    """Run batches of 1, 4, 16, ... up to the cell's count; check the outputs against eager."""
    entry, cell = subject.entry, subject.cell
    model = entry.build()
    inputs = entry.sample_inputs(cell.count, 0)
    eager = one_by_one(entry_point(model, entry.method))
    run = _system(subject, model)
    error = _error(eager(inputs[:16]), run(inputs[:16]))
    if not error <= _LARGEST_ERROR:
        raise CannotMeasure(f"its outputs differ from eager PyTorch's by {error:.1e}")
    systems = {cell.backend: run} | ({EAGER: eager} if cell.backend != EAGER else {})
    shuffler = random.Random(0)
    with measuring_alone():
        times = {
            size: _milliseconds(systems, inputs, size, shuffler)
            for size in SIZES
            if size <= cell.count
        }
    return {
        "milliseconds_per_input": {str(size): each[cell.backend] for size, each in times.items()},
        "times_as_fast": {
            str(size): each[EAGER] / each[cell.backend] for size, each in times.items()
        },
        "error": error,
    }


SIZES = (1, 4, 16, 64, 256)


def one_by_one(call: Callable[..., Any]) -> RunBatch:
    """Return what runs inputs one after the other."""
    return lambda inputs: [call(*arguments) for arguments in inputs]


def _system(subject: Subject, model: nn.Module) -> RunBatch:
    name = subject.cell.backend
    if name == EAGER:
        return one_by_one(entry_point(model, subject.entry.method))
    for other in subject.catalog.batched:
        if (other.model, other.system) == (subject.cell.model, name):
            return _prepared(other, model)
    host = package_of(subject, model)
    if host.takes_many:
        return lambda inputs: host.many([_arrays(arguments) for arguments in inputs])
    return lambda inputs: [host(*_arrays(arguments)) for arguments in inputs]


def _prepared(other: Batched, model: nn.Module) -> RunBatch:
    try:
        return other.prepare(model)
    except ImportError as error:
        raise CannotMeasure(f"not installed: {error}") from error


def _arrays(arguments: tuple[Any, ...]) -> tuple[object, ...]:
    given = to_host(arguments)
    assert isinstance(given, tuple)
    return given


def _milliseconds(
    systems: Mapping[str, RunBatch], inputs: Inputs, size: int, shuffler: random.Random
) -> dict[str, float]:
    """Return medians over turns through all inputs, in shuffled order, each time the same ones."""
    batches = [inputs[start : start + size] for start in range(0, len(inputs) - size + 1, size)]
    times: dict[str, list[float]] = {name: [] for name in systems}
    until = time.monotonic() + _SECONDS
    for turn in range(_ROUNDS):
        if turn and time.monotonic() >= until:
            break
        for name in shuffler.sample(list(systems), len(systems)):
            run = systems[name]
            run(batches[0])
            begin = time.perf_counter_ns()
            for batch in batches:
                run(batch)
            times[name].append((time.perf_counter_ns() - begin) / 1e6 / (size * len(batches)))
    return {name: statistics.median(each) for name, each in times.items()}


def _error(wanted: Sequence[Any], found: Sequence[Any]) -> float:
    """Return the largest difference; infinite where there are more or fewer numbers, or NaN."""
    pairs = list(zip(map(_flat, wanted), map(_flat, found), strict=True))
    if any(one.shape != other.shape for one, other in pairs):
        return math.inf
    differences = np.concatenate([np.abs(one - other) for one, other in pairs])
    return float(np.nan_to_num(differences, nan=math.inf).max(initial=0))


def _flat(output: Any) -> Any:
    """Return all numbers of an output, in order."""
    parts = [np.asarray(part, dtype=np.float64).ravel() for part in _numbers_in(output)]
    return np.concatenate([np.zeros(0), *parts])


def _numbers_in(output: Any) -> Iterator[Any]:
    match output:
        case Tensor():
            yield output.detach().numpy()
        case list() | tuple():
            for item in output:
                yield from _numbers_in(item)
        case dict():
            yield from _numbers_in(list(output.values()))
        case np.ndarray() | int() | float():
            yield output
        case _:
            pass
