"""The hooks of a module run before and after its ``forward``: what they are given and change."""

import types
from collections.abc import Iterator, Sequence

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.hook_tables import Hook
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.containers.containers import is_list, sequence_items, tuple_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import DictCell, Known, Reference, TupleValue, Value, is_none

Changed = Iterator[tuple[State, Value, dict[str, Value]]]
"""Paths, and the arguments that ``forward`` is called with: those by position are a tuple."""


def run_before(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    keywords: dict[str, Value],
    hooks: Sequence[Hook],
) -> Changed:
    """Run the hooks that may change the arguments."""
    if not any(hook.with_keywords for hook in hooks):
        for after, replaced, _ in _before(frame, node, state, module, given, None, hooks):
            yield after, replaced, keywords
        return
    named = frame.run.allocate(state, DictCell(dict(keywords)))
    for after, replaced, shown in _before(frame, node, state, module, given, named, hooks):
        yield after, replaced, _keywords(frame, node, after, shown)


def _before(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    named: Value | None,
    hooks: Sequence[Hook],
) -> Iterator[tuple[State, Value, Value | None]]:
    if not hooks:
        yield state, given, named
        return
    first, *rest = hooks
    shown = _shown(frame, state, first, named)
    for after, replaced in _run(frame, node, state, first, [module, given, *shown]):
        arguments, keywords = given, named
        if not is_none(replaced):
            arguments = replaced
            if shown:
                arguments, keywords = _both(frame, node, replaced)
            elif items_of(after, replaced) is None:
                arguments = tuple_value((replaced,))
        yield from _before(frame, node, after, module, arguments, keywords, rest)


def run_behind(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    keywords: dict[str, Value],
    result: Value,
    hooks: Sequence[Hook],
) -> Outcomes:
    """Run the hooks that may change the result."""
    named = None
    if any(hook.with_keywords for hook in hooks):
        named = frame.run.allocate(state, DictCell(dict(keywords)))
    yield from _behind(frame, node, state, module, given, named, result, hooks)


def _behind(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    given: Value,
    named: Value | None,
    result: Value,
    hooks: Sequence[Hook],
) -> Outcomes:
    if not hooks:
        yield state, result
        return
    first, *rest = hooks
    shown = _shown(frame, state, first, named)
    for after, replaced in _run(frame, node, state, first, [module, given, *shown, result]):
        changed = result if is_none(replaced) else replaced
        yield from _behind(frame, node, after, module, given, named, changed, rest)


def _shown(frame: Frame, state: State, hook: Hook, named: Value | None) -> list[Value]:
    """Return the keywords for a hook that is told of them: as long as it is not removed."""
    is_told = hook.with_keywords and frame.run.calls.hooks.has(state, hook)
    return [named] if is_told and named is not None else []


def _run(frame: Frame, node: cst.CSTNode, state: State, hook: Hook, given: list[Value]) -> Outcomes:
    """Run a hook; torch's own (weight_norm, pruning) write attributes, as their code shows."""
    function = hook.function
    kind: type | None = type(function.value) if isinstance(function, Known) else None
    shown = class_member(kind, "__call__") if kind is not None else None
    if kind and is_library(kind.__module__) and isinstance(shown, types.FunctionType):
        return inline_function(frame, node, state, shown, [function, *given], {})
    return call_value(frame, node, state, function, given, {})


def _both(frame: Frame, node: cst.CSTNode, replaced: Value) -> tuple[Value, Value]:
    """Return the arguments and the keywords that a hook gives."""
    match replaced:
        case TupleValue(items=(TupleValue() as arguments, keywords)):
            return arguments, keywords
        case Known(value=(tuple() as arguments, keywords)):
            return Known(arguments), Known(keywords)
        case _:
            problem = "a hook with keywords gives other than None or a tuple and a dict"
            frame.refuse("DYCL049", node, problem)


def _keywords(
    frame: Frame, node: cst.CSTNode, state: State, shown: Value | None
) -> dict[str, Value]:
    """Return the keywords that are in a dict."""
    cell = state.heap[shown.identity] if isinstance(shown, Reference) else None
    items = dict(cell.items) if isinstance(cell, DictCell) else None
    if isinstance(shown, Known) and type(shown.value) is dict:
        items = {key: Known(value) for key, value in shown.value.items()}
    if items is None or not all(isinstance(key, str) for key in items):
        frame.refuse("DYCL049", node, "the keywords that a hook gives are no dict of known names")
    return {str(name): value for name, value in items.items()}


def items_of(state: State, value: Value) -> tuple[Value, ...] | None:
    """Return what is in a tuple, None for lists and other values."""
    return None if is_list(state, value) else sequence_items(state, value)
