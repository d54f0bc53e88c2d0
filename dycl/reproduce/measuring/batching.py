"""Milliseconds per input for batches of growing size, one system at a time.

A system is a function from a list of inputs to their outputs. Eager PyTorch and packages take the
inputs one by one; what runs many at once, like DyNet with auto-batching, gets the list as it is.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from torch import Tensor, nn

from dycl.contenders import EAGER
from dycl.reproduce.catalog import Batched
from dycl.reproduce.measuring.subject import CannotMeasure, Subject, measuring_alone, package_of
from dycl.verification.verifying import entry_point, to_host

Inputs: TypeAlias = Sequence[tuple[Any, ...]]
RunBatch: TypeAlias = Callable[[Inputs], Sequence[Any]]

_ROUNDS, _SECONDS = 5, 5.0
"""Turns for each size; fewer where they take longer together."""

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
    sizes = [size for size in SIZES if size <= cell.count]
    with measuring_alone():
        times = {str(size): _milliseconds(run, inputs, size) for size in sizes}
    return {"milliseconds_per_input": times, "error": error}


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


def _milliseconds(run: RunBatch, inputs: Inputs, size: int) -> float:
    """Return the median over turns through all inputs, each time the same ones."""
    batches = [inputs[start : start + size] for start in range(0, len(inputs) - size + 1, size)]
    run(batches[0])
    times: list[float] = []
    until = time.monotonic() + _SECONDS
    while len(times) < _ROUNDS and (not times or time.monotonic() < until):
        begin = time.perf_counter_ns()
        for batch in batches:
            run(batch)
        times.append((time.perf_counter_ns() - begin) / 1e6 / (size * len(batches)))
    return statistics.median(times)


def _error(wanted: Sequence[Any], found: Sequence[Any]) -> float:
    """Return the largest difference; of structures of tensors, the largest of all."""
    pairs = zip(map(_flat, wanted), map(_flat, found), strict=True)
    return max(float(np.abs(one - other).max(initial=0)) for one, other in pairs)


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
