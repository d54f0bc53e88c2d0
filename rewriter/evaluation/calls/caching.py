"""Functions that run in the first call only: ``functools.lru_cache`` and ``cached_property``.

They are evaluated in each call, which is the same where they give the same and change nothing; or
called once while compiling, where nothing of a call is unknown.
"""

import functools
from collections.abc import Hashable, Sequence

import libcst as cst

from rewriter.evaluation.calls.cache_keys import cache_key, equal_key
from rewriter.evaluation.calls.cached import cached
from rewriter.evaluation.calls.called_when_compiling import called_when_compiling, plain_argument
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.autocasting import casting
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    Reference,
    SetCell,
    TensorValue,
    Value,
)

_ADVICE = "take the cache away"


def call_of_cache(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    cache: "functools._lru_cache_wrapper[object]",
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call what is cached, and refuse what it gives for other arguments, or has forgotten."""
    function, settings = Known(cache.__wrapped__), cache.cache_parameters()
    most, name = settings["maxsize"], getattr(cache, "__name__", "function")
    if most == 0:
        yield from call_value(frame, node, state, function, positional, keywords)
        return
    exact = cache_key(function, (*positional, *keywords.values()), tuple(keywords))
    equal = exact if settings["typed"] else equal_key(function, positional, keywords) or exact
    asked = frame.run.cached_for
    if exact is not None and asked.setdefault(equal, (cache, exact))[1] != exact:
        what = f"{name}() is cached and called with other arguments that are equal to these"
        frame.refuse("DYCL034", node, what, _ADVICE)
    count = sum(of is cache for of, _ in asked.values())
    for after, value in call_cached(frame, node, state, function, positional, keywords):
        if most is not None and count > most and plain_argument(value) is None:
            what = f"{name}() is cached and has forgotten what it gave for other arguments"
            frame.refuse("DYCL034", node, what, _ADVICE)
        yield after, value


def call_cached(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call what is cached, and refuse what the first call alone does or what it may see change."""
    name = getattr(function.value, "__name__", "function")
    if casting(frame.run) is not None:
        what = f"{name}() is cached, and its first call may not be under autocast"
        frame.refuse("DYCL064", node, what, _ADVICE)
    arguments = (*positional, *keywords.values())
    error = _unhashable(state, arguments)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    key = cache_key(function, arguments, tuple(keywords))
    known_object = _made_once(frame, function, positional, keywords, key)
    if known_object is not None:
        yield state, known_object
        return
    known = None if key is None else frame.run.cached.get(key)
    if known is not None and known.is_there(state):
        _check_reads(frame, node, state, name, known.read)
        yield state, known.result
        return
    attributes, heap = dict(state.attributes), dict(state.heap)
    first, outputs = len(frame.run.attributes_read), frame.run.builder.outputs
    printed = len(outputs)
    for after, value in call_value(frame, node, state, function, positional, keywords):
        if isinstance(value, TensorValue):
            frame.run.storages.mark_lasting(value.fake)
        changed = any(after.attributes.get(key) is not old for key, old in attributes.items())
        changed = changed or after.attributes.keys() != attributes.keys()
        if changed or any(after.heap.get(identity) is not cell for identity, cell in heap.items()):
            what = f"{name}() changes what outlives it in its first call only: it is cached"
            frame.refuse("DYCL034", node, what, _ADVICE)
        if len(outputs) > printed:
            what = f"{name}() prints in its first call only: it is cached"
            frame.refuse("DYCL034", node, what, _ADVICE)
        read = tuple(frame.run.attributes_read[first:])
        _check_reads(frame, node, state, name, read)
        made = after.heap.keys() - heap.keys()
        frame.run.lasting_cells.update(made)
        frame.run.cached_results.update(made)
        if isinstance(value, Reference) and key is not None:
            frame.run.cached[key] = cached(after, value, read, arguments)
        yield after, value
        printed = len(outputs)


def _unhashable(state: State, arguments: Sequence[Value]) -> TypeError | None:
    """Return what Python raises where an argument is no key, None where all may be."""
    for value in arguments:
        cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
        if isinstance(cell, ListCell | DictCell | SetCell) and cell.kind.__hash__ is None:
            return TypeError(f"unhashable type: {cell.kind.__name__!r}")
    return None


def _made_once(
    frame: Frame,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    key: Hashable,
) -> Known | None:
    """Return what was made by a call while compiling, if that can be."""
    plan = frame.run.plan
    if key is None or plan.shared_names:  # variables that the program writes
        return None
    if key not in plan.called:
        plan.called[key] = called_when_compiling(function.value, positional, keywords)
    return plan.called[key]


def _check_reads(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    reads: Sequence[tuple[object, str]],
) -> None:
    read = _first_that_changes(frame.run, state, reads)
    if read is not None:
        what = f"{name}() is cached and reads {read!r}, which may be another one by then"
        frame.refuse("DYCL034", node, what, _ADVICE)


def _first_that_changes(run: Run, state: State, read: Sequence[tuple[object, str]]) -> str | None:
    kept = run.plan.residents()
    for owner, name in read:
        key = (id(owner), name)
        if key in state.attributes or key in run.plan.roots or key in run.written:
            return name
        if id(getattr(owner, name, None)) in kept:
            return name
    return None
