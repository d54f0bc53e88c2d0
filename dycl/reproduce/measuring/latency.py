"""How long one contender takes beside eager PyTorch, input by input, in turns in one process."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from torch import nn

from dycl.benchmark import BenchmarkOptions, Latency, beside_eager, calling, geometric_mean
from dycl.contenders import AGAINST, EAGER, HOST, Contender, ContenderFailed
from dycl.reproduce.measuring.subject import CannotMeasure, Subject, measuring_alone, package_of
from dycl.user_inputs import call_entry, clone_inputs
from rewriter.diagnostics import CompileError


def measure(subject: Subject) -> dict[str, Any]:
    """Measure medians over turns; the ratio is a geometric mean over the inputs."""
    entry, cell = subject.entry, subject.cell
    model = entry.build()
    inputs = entry.sample_inputs(cell.count, 0)
    try:
        times = beside_eager(
            model,
            _contenders(subject, model),
            inputs,
            method=entry.method,
            options=_options(getattr(model, entry.method), inputs),
            alone=measuring_alone(),
        )
    except ContenderFailed as error:
        raise CannotMeasure(str(error)) from error
    return {
        "times_as_fast": _times_as_fast(times, EAGER, cell.backend),
        "times_as_fast_as_package": _times_as_fast(times, HOST, cell.backend),
        "eager": _summary([t[EAGER] for t in times]),
        "contender": _summary([t[cell.backend] for t in times]),
        "units": _units(subject, inputs, len(times)),
    }


_TURNS = (
    (0.005, BenchmarkOptions(rounds=9, calls=5)),
    (0.05, BenchmarkOptions(rounds=5, calls=3)),
    (math.inf, BenchmarkOptions(rounds=3, calls=1)),
)
"""Calls that take up to so many seconds, and their turns: slower ones need fewer for a median as
steady."""


def _options(call: Callable[..., object], inputs: Sequence[tuple[Any, ...]]) -> BenchmarkOptions:
    """Return the turns of a model, by what its second call takes."""
    for arguments in inputs:
        try:
            call_entry(call, clone_inputs(arguments))  # the first call takes longer
        except Exception:
            continue
        own = clone_inputs(arguments)
        begin = time.perf_counter()
        call_entry(call, own)
        seconds = time.perf_counter() - begin
        return next(options for most, options in _TURNS if seconds <= most)
    return _TURNS[1][1]


def _contenders(subject: Subject, model: nn.Module) -> dict[str, Contender]:
    """Return the contender; beside one that is no package, that of the default backend."""
    backend = subject.cell.backend
    if backend not in AGAINST:
        return {backend: calling(package_of(subject, model))}
    contenders = {backend: AGAINST[backend]}
    with suppress(CompileError):  # a refusal is shown where the package itself is measured
        contenders[HOST] = calling(package_of(subject, model))
    return contenders


def _times_as_fast(
    times: Sequence[Mapping[str, Latency]], slower: str, faster: str
) -> float | None:
    """Return a ratio of latencies, None where one of them was not measured."""
    if any(slower not in each or faster not in each for each in times):
        return None
    return geometric_mean(each[slower].median / each[faster].median for each in times)


def _summary(times: Sequence[Latency]) -> dict[str, Any]:
    return {
        "milliseconds": geometric_mean(each.median for each in times),
        "inputs": [[t.lower_quartile, t.median, t.upper_quartile] for t in times],
    }


def _units(
    subject: Subject, inputs: Sequence[tuple[Any, ...]], measured: int
) -> Mapping[str, list[int]]:
    """Return the tokens or nodes of each input, where somebody published latency by them."""
    if measured != len(inputs):
        return {}
    return {
        comparison.unit: [comparison.units(*arguments) for arguments in inputs]
        for comparison in subject.catalog.comparisons
        if comparison.model == subject.cell.model
    }
