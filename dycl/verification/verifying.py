"""Run the original and its host on the same inputs, and report what differs."""

import contextlib
import copy
import io
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import torch
from torch import Tensor

from dycl.drawing_inputs import Inputs
from dycl.errors import UserError
from dycl.loading import CompiledModel
from dycl.user_inputs import call_entry, clone_inputs
from dycl.user_traceback import render_user_traceback
from dycl.verification.comparison import Comparison, attributes_of, compare
from dycl.verification.decision import (
    Decide,
    decisions_equal,
    default_decision,
    like_original,
)
from dycl.verification.host_graph import graph_of_host
from dycl.verification.margins import margins_along, with_margins
from dycl.verification.observation import Host, PathRecord, Step, measure_coverage
from dycl.verification.report import Baseline, Correctness, Sample, VerificationReport
from dycl.verification.texts import same_text
from dycl.verification.tracing_baseline import TracingFailed, trace_entry
from hcfg.graph import Hcfg

Progress = Callable[[int, int], None]
"""Called with how many inputs are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What a call did: a value or an error, and its arguments afterwards."""

    value: object
    error: Exception | None
    arguments: Inputs
    printed: str


def verify(
    target: object,
    compiled: Host,
    inputs: Sequence[object],
    *,
    method: str = "forward",
    decide: Decide | None = None,
    baseline: str | None = None,
    source: str = "given",
    dynamic_shapes: object = None,
    margins_inside: bool = True,
    progress: Progress | None = None,
) -> VerificationReport:
    """Compare a compiled model with its original.

    ``target`` is what was compiled: an ``nn.Module``, a bound method or a function.
    ``inputs`` are sets of arguments: tuples, dicts by name, or single tensors.
    ``decide`` takes an output and returns the decision in it; by default the argmax of the
    first float tensor, and whatever is discrete. ``baseline="trace"`` compares
    ``torch.jit.trace`` on the same inputs as well. ``dynamic_shapes`` is what a package that
    was not just compiled was compiled with: margins inside of tensor code need it. To find
    them takes longer than the rest; without ``margins_inside`` they are left out.
    """
    if not inputs:
        raise ValueError("verify needs at least one input")
    if isinstance(compiled, CompiledModel) and compiled.state:
        # Both begin with the state at compile time; the user's model stays as it is.
        compiled.reset()
        target = copy.deepcopy(target)
    entry = entry_point(target, method)
    sets = [as_inputs(item) for item in inputs]
    samples, paths = [], []
    graph = None
    if margins_inside:
        graph = graph_of_host(target, compiled, method, sets[0], dynamic_shapes)
    if graph is not None and graph.state is not None:
        graph = None  # margins are found by running the graph again, which has no state then
    nodes: Any = compiled.manifest["graph"]["nodes"]
    common = {node["id"] for node in nodes} & (graph.nodes.keys() if graph is not None else set())
    for index, arguments in enumerate(sets):
        original = _run_original(entry, arguments)
        path = PathRecord()
        with compiled.observe(path):
            host = _run_host(compiled, arguments)
        if graph is not None:
            path.steps = with_margins(path.steps, _margins(graph, arguments), common)
        samples.append(_judge(index, original, host, path, decide))
        paths.append(path)
        if progress is not None:
            progress(index + 1, len(sets))
    return VerificationReport(
        name=_name(target, method),
        source=source,
        host=Correctness(samples=tuple(samples)),
        coverage=measure_coverage(compiled.manifest, paths),
        margins_inside=graph is not None,
        baseline=None if baseline is None else _baseline(baseline, entry, sets, decide),
    )


def entry_point(target: object, method: str) -> Callable[..., object]:
    """Return what is called on the original."""
    if isinstance(target, torch.nn.Module) and method == "forward":
        return target
    named = isinstance(target, torch.nn.Module) or (
        not isinstance(target, FunctionType | MethodType) and hasattr(target, method)
    )
    found = getattr(target, method) if named else target
    if not callable(found):
        raise TypeError(f"expected a model, a method or a function; got {type(target).__name__}")
    entry: Callable[..., object] = found
    return entry


def as_inputs(item: object) -> Inputs:
    """Return a set of arguments from a tuple, a dict by name, or a single value."""
    match item:
        case tuple():
            return item
        case dict():
            return item
        case _:
            return (item,)


def to_host(value: object) -> object:
    """Give the host what it gets where it is deployed: numpy arrays."""
    match value:
        case Tensor() if value.dtype != torch.bfloat16:
            return value.detach().cpu().numpy()
        case list():
            return [to_host(item) for item in value]
        case tuple() if type(value) is tuple:
            return tuple(to_host(item) for item in value)
        case dict():
            return {key: to_host(item) for key, item in value.items()}
        case _:
            return value


def _run_original(entry: Callable[..., object], inputs: Inputs) -> _Outcome:
    arguments = clone_inputs(inputs)
    with _as_written():
        return _outcome(partial(call_entry, entry, arguments), arguments)


def _outcome(call: Callable[[], object], arguments: Inputs) -> _Outcome:
    value, error, printed = None, None, io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            value = call()
        except Exception as raised:
            error = raised
    return _Outcome(value=value, error=error, arguments=arguments, printed=printed.getvalue())


def _as_written() -> AbstractContextManager[object]:
    """Have functions that ``torch.compile`` was given run as they are written."""
    if "torch._dynamo" not in sys.modules:  # which takes long to import
        return nullcontext()
    stance: AbstractContextManager[object] = torch.compiler.set_stance("force_eager")
    return stance


def _run_host(compiled: Host, inputs: Inputs) -> _Outcome:
    given = to_host(clone_inputs(inputs))
    assert isinstance(given, tuple | dict)
    call = partial(compiled, **given) if isinstance(given, dict) else partial(compiled, *given)
    return _outcome(call, given)


def _margins(graph: Hcfg, inputs: Inputs) -> tuple[Step, ...]:
    arguments = clone_inputs(inputs)
    with contextlib.redirect_stdout(io.StringIO()):
        if isinstance(arguments, dict):
            return margins_along(graph, (), arguments)
        return margins_along(graph, arguments, {})


def _judge(
    index: int, original: _Outcome, host: _Outcome, path: PathRecord, decide: Decide | None
) -> Sample:
    closest = path.closest
    both_returned = original.error is None and host.error is None
    comparison = compare(original.value, host.value) if both_returned else Comparison()
    mismatches = [*comparison.mismatches, *_error_mismatch(original.error, host.error)]
    written = compare(original.arguments, host.arguments)
    if not written.same:
        mismatches.append("the original and the host leave different contents in the arguments")
    if not same_text(original.printed, host.printed):
        mismatches.append(f"printed {original.printed!r} became {host.printed!r}")
    consistent = (
        _same_decision(original.value, host.value, decide)
        if both_returned
        else (original.error is None) == (host.error is None)
    )
    return Sample(
        index=index,
        consistent=consistent,
        mismatches=tuple(mismatches),
        within_tolerance=comparison.within_tolerance,
        max_absolute=comparison.max_absolute if both_returned else None,
        max_relative=comparison.max_relative if both_returned else None,
        original_error=_error_text(original.error),
        host_error=_error_text(host.error),
        closest_branch=None if closest is None else closest.node,
        closest_margin=None if closest is None else closest.margin,
    )


def _error_mismatch(original: Exception | None, host: Exception | None) -> list[str]:
    if original is None and host is None:
        return []
    if original is None or host is None:
        raised, by = (host, "host") if original is None else (original, "original")
        return [f"only the {by} raised {_error_text(raised)}"]
    if type(original).__name__ == type(host).__name__ and same_text(str(original), str(host)):
        attributes = compare(attributes_of(original), attributes_of(host))
        return [f"attributes of {_error_text(original)}: {m}" for m in attributes.mismatches]
    return [f"the original raised {_error_text(original)}, the host {_error_text(host)}"]


def _error_text(error: Exception | None) -> str | None:
    return None if error is None else f"{type(error).__name__}: {error}"


def _same_decision(original: object, host: object, decide: Decide | None) -> bool:
    if decide is None:
        return bool(default_decision(original) == default_decision(host))
    wanted = _call_decide(decide, original)
    try:
        found = decide(like_original(host, original))
    except Exception:
        # it takes the original's output, so the host's has another structure
        return False
    return decisions_equal(wanted, found)


def _call_decide(decide: Decide, outputs: object) -> object:
    try:
        return decide(outputs)
    except Exception as error:
        raise UserError(
            "decide(outputs) fails on the original's output", detail=render_user_traceback(error)
        ) from error


def compare_with_trace(
    target: object, inputs: Sequence[object], *, method: str = "forward", decide: Decide | None
) -> Baseline:
    """Compare ``torch.jit.trace`` of the first input with the original on all of them."""
    return _traced(entry_point(target, method), [as_inputs(item) for item in inputs], decide)


def _baseline(
    name: str, entry: Callable[..., object], sets: Sequence[Inputs], decide: Decide | None
) -> Baseline:
    if name != "trace":
        raise ValueError(f"unknown baseline {name!r}; expected 'trace'")
    return _traced(entry, sets, decide)


def _traced(
    entry: Callable[..., object], sets: Sequence[Inputs], decide: Decide | None
) -> Baseline:
    try:
        traced = trace_entry(entry, sets[0])
    except TracingFailed as error:
        return Baseline(name="torch.jit.trace", correctness=None, failure=str(error))
    samples = tuple(
        _judge(index, _run_original(entry, item), _run_original(traced, item), PathRecord(), decide)
        for index, item in enumerate(sets)
    )
    return Baseline(name="torch.jit.trace", correctness=Correctness(samples=samples), failure=None)


def _name(target: object, method: str) -> str:
    if isinstance(target, torch.nn.Module):
        return f"{type(target).__name__}.{method}"
    return str(getattr(target, "__qualname__", type(target).__name__))
