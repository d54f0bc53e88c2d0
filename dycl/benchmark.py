"""Latency of a host side by side with eager PyTorch and with other ways to run the original.

Contenders take short turns in shuffled order on the same input, so that whatever else the
machine does falls on all of them alike. Medians are reported with quartiles; ratios are
geometric means over the inputs. The host gets numpy arrays, the others tensors: what each gets
where it is deployed.
"""

import json
import math
import random
import statistics
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

import torch

from dycl.contenders import AGAINST, EAGER, HOST, TRACE, Contender, ContenderFailed
from dycl.drawing_inputs import Inputs
from dycl.errors import UserError
from dycl.user_inputs import call_entry, clone_inputs
from dycl.verification.decision import Decide
from dycl.verification.observation import Host
from dycl.verification.verifying import as_inputs, entry_point, to_host, verify

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkOptions:
    """How long to measure."""

    rounds: int = 5
    """Turns of each contender on each input."""
    calls: int = 3
    """Timed calls in a turn, after one that is not timed."""
    seed: int = 0
    """Of the shuffling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of a contender on one input."""

    median: float
    lower_quartile: float
    upper_quartile: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkReport:
    """Latencies per input and contender."""

    name: str
    threads: int
    """Threads that PyTorch may use; the host's are the backend's business."""
    inputs: tuple[Mapping[str, Latency], ...]
    trace_wrong_rate: float | None
    """Share of these inputs on which the trace decides otherwise; None without a trace."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Contenders that cannot run the program, and why."""
    raising: int = 0
    """Inputs left out because the original raises on them."""

    @property
    def contenders(self) -> tuple[str, ...]:
        """Return the names of what was measured."""
        return tuple(self.inputs[0])

    def label(self, contender: str) -> str:
        """Return the name for a table: a trace is never shown without its error rate."""
        if contender != TRACE:
            return contender
        return f"trace (wrong for {self.trace_wrong_rate:.0%})"

    def ratio(self, contender: str) -> float:
        """Return the latency relative to the host's: geometric mean over the inputs."""
        return geometric_mean(entry[contender].median / entry[HOST].median for entry in self.inputs)

    def to_json(self) -> str:
        """Return the report as JSON text."""
        content = {
            "name": self.name,
            "threads": self.threads,
            "trace_wrong_rate": self.trace_wrong_rate,
            "failures": dict(self.failures),
            "raising": self.raising,
            "ratio_to_host": {name: self.ratio(name) for name in self.contenders},
            "milliseconds": [
                {
                    name: {
                        "median": latency.median,
                        "quartiles": [latency.lower_quartile, latency.upper_quartile],
                    }
                    for name, latency in entry.items()
                }
                for entry in self.inputs
            ],
        }
        return json.dumps(content, indent=2) + "\n"


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of ratios."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


def benchmark(
    target: object,
    compiled: Host,
    inputs: Sequence[object],
    *,
    method: str = "forward",
    options: BenchmarkOptions | None = None,
    decide: Decide | None = None,
    against: Collection[str] = (TRACE,),
    progress: Progress | None = None,
) -> BenchmarkReport:
    """Measure eager PyTorch, the host and what ``against`` names of ``contenders.AGAINST``."""
    if not inputs:
        raise ValueError("benchmark needs at least one input")
    options = options or BenchmarkOptions()
    entry = entry_point(target, method)
    sets = _returning(entry, inputs)
    calls, failures = _calls_against(entry, sets, against)
    shuffler = random.Random(options.seed)
    entries = []
    for index, arguments in enumerate(sets):
        contenders = _contenders(entry, compiled, arguments)
        contenders |= {name: each[index] for name, each in calls.items()}
        entries.append(_measure(contenders, options, shuffler))
        if progress is not None:
            progress(index + 1, len(sets))
    is_traced = TRACE in calls
    return BenchmarkReport(
        name=str(getattr(target, "__qualname__", type(target).__name__)),
        threads=torch.get_num_threads(),
        inputs=tuple(entries),
        trace_wrong_rate=_wrong_rate(target, compiled, sets, method, decide) if is_traced else None,
        failures=failures,
        raising=len(inputs) - len(sets),
    )


def benchmark_hosts(
    target: object,
    hosts: Mapping[str, Host],
    inputs: Sequence[object],
    *,
    method: str = "forward",
    options: BenchmarkOptions | None = None,
    alone: AbstractContextManager[object] | None = None,
) -> tuple[Mapping[str, Latency], ...]:
    """Measure eager PyTorch and several packages of one model, per input."""
    contenders = {name: calling(host) for name, host in hosts.items()}
    return beside_eager(target, contenders, inputs, method=method, options=options, alone=alone)


def beside_eager(
    target: object,
    contenders: Mapping[str, Contender],
    inputs: Sequence[object],
    *,
    method: str = "forward",
    options: BenchmarkOptions | None = None,
    alone: AbstractContextManager[object] | None = None,
) -> tuple[Mapping[str, Latency], ...]:
    """Measure eager PyTorch and others, per input; inputs that the original raises on are left out.

    ``alone`` is entered once all is prepared, to measure while nobody else does. Raises
    ``ContenderFailed`` where one cannot run the program.
    """
    options = options or BenchmarkOptions()
    entry = entry_point(target, method)
    sets = _returning(entry, inputs)
    calls: dict[str, list[Callable[[], object]]] = {
        EAGER: [partial(call_entry, entry, clone_inputs(item)) for item in sets]
    }
    calls |= {name: contender(entry, sets) for name, contender in contenders.items()}
    shuffler = random.Random(options.seed)
    with alone or nullcontext():
        return tuple(
            _measure({name: each[index] for name, each in calls.items()}, options, shuffler)
            for index in range(len(sets))
        )


def calling(host: Host) -> Contender:
    """Return the contender that calls a package, with the arrays it gets where it is deployed."""
    return lambda entry, sets: [
        partial(_call_host, host, to_host(clone_inputs(item))) for item in sets
    ]


def _returning(entry: Callable[..., object], inputs: Sequence[object]) -> list[Inputs]:
    """Return the inputs on which the original does not raise."""
    sets = [item for item in map(as_inputs, inputs) if _returns(entry, item)]
    if not sets:
        raise UserError("the model raises on every input; there is nothing to measure")
    return sets


def _returns(entry: Callable[..., object], arguments: Inputs) -> bool:
    try:
        call_entry(entry, clone_inputs(arguments))
    except Exception:
        return False
    return True


def _calls_against(
    entry: Callable[..., object], sets: Sequence[Inputs], against: Collection[str]
) -> tuple[dict[str, list[Callable[[], object]]], dict[str, str]]:
    """Return calls on each input by contender, and why the others cannot take part."""
    calls: dict[str, list[Callable[[], object]]] = {}
    failures: dict[str, str] = {}
    for name in against:
        try:
            calls[name] = AGAINST[name](entry, sets)
        except ContenderFailed as error:
            failures[name] = str(error)
    return calls, failures


def _contenders(
    entry: Callable[..., object], compiled: Host, arguments: Inputs
) -> dict[str, Callable[[], object]]:
    own = clone_inputs(arguments)
    given = to_host(clone_inputs(arguments))
    return {
        EAGER: lambda: call_entry(entry, own),
        HOST: lambda: _call_host(compiled, given),
    }


def _call_host(compiled: Host, given: object) -> object:
    match given:
        case dict():
            return compiled(**given)
        case tuple():
            return compiled(*given)
        case _:
            return compiled(given)


def _measure(
    contenders: Mapping[str, Callable[[], object]],
    options: BenchmarkOptions,
    shuffler: random.Random,
) -> dict[str, Latency]:
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(options.rounds):
        turn = list(contenders)
        shuffler.shuffle(turn)
        for name in turn:
            call = contenders[name]
            call()
            for _ in range(options.calls):
                begin = time.perf_counter_ns()
                call()
                times[name].append((time.perf_counter_ns() - begin) / 1e6)
    return {name: _latency(values) for name, values in times.items()}


def _latency(values: Sequence[float]) -> Latency:
    if len(values) < 2:
        return Latency(median=values[0], lower_quartile=values[0], upper_quartile=values[0])
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return Latency(median=median, lower_quartile=lower, upper_quartile=upper)


def _wrong_rate(
    target: object,
    compiled: Host,
    sets: Sequence[Inputs],
    method: str,
    decide: Decide | None,
) -> float | None:
    report = verify(target, compiled, sets, method=method, decide=decide, baseline="trace")
    if report.baseline is None or report.baseline.correctness is None:
        return None
    return report.baseline.correctness.inconsistent_rate
