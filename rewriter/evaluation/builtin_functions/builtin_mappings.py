"""Functions that make dicts: ``dict``, ``OrderedDict``, ``defaultdict``, ``Counter``."""

import collections
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.dict_methods import items_given, updated_by_items
from rewriter.evaluation.containers.identity_keys import are_own_keys, dict_with_own_keys
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.counters import counted
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_making import mapping_of
from rewriter.state import State
from rewriter.values import DictCell, IteratorValue, Known, Value


def _has_run_time_key(state: State, value: Value) -> bool:
    """Return whether a sequence of pairs has a key known only at run time."""
    pairs = sequence_items(state, value) or ()
    rows = [sequence_items(state, pair) for pair in pairs]
    return any(row and known_object(state, row[0]) is None for row in rows)


def _pairs(state: State, value: Value) -> list[tuple[Value, Value]]:
    """Return the pairs of a sequence of pairs, none of anything else."""
    rows = [sequence_items(state, pair) for pair in sequence_items(state, value) or ()]
    pairs = [(row[0], row[1]) for row in rows if row is not None and len(row) == 2]
    return pairs if len(pairs) == len(rows) else []


def _mapping(kind: type) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        pairs = _pairs(state, positional[0]) if positional and not keywords else ()
        if are_own_keys(state, (key for key, _ in pairs)) and kind is dict:
            yield from dict_with_own_keys(frame, node, state, kind, pairs)
            return
        if positional and (
            is_run_time(state, positional[0]) or _has_run_time_key(state, positional[0])
        ):
            yield from mapping_of(frame, node, state, kind, positional[0], keywords)
            return
        yield from _filled(frame, node, state, DictCell({}, kind), positional, keywords)

    return rule


def _filled(
    frame: Frame, node: cst.CSTNode, state: State, empty: DictCell, positional: Positional,
    keywords: Keywords,
) -> Outcomes:  # fmt: skip
    """Make a dict of the items that a dict, pairs and keywords give."""
    if positional and isinstance(positional[0], IteratorValue):
        made = frame.run.allocate(state, empty)
        filling = updated_by_items(frame, node, state, made, positional[0], keywords)
        yield from ((after, made) for after, _ in filling)
        return
    for after, given in items_given(frame, node, state, positional):
        yield after, frame.run.allocate(after, replace(empty, items={**given, **keywords}))


for _mapping_kind in (dict, collections.OrderedDict):
    special(_mapping_kind)(_mapping(_mapping_kind))


@special(collections.defaultdict)
def defaultdict_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``defaultdict(factory, items, **items)``."""
    if "default_factory" in keywords or any(
        is_run_time(state, given) or _has_run_time_key(state, given) for given in positional[1:]
    ):
        frame.refuse("DYCL039", node, "defaultdict() with these arguments is not supported")
    if len(positional) > 2:
        text = f"dict expected at most 1 argument, got {len(positional) - 1}"
        frame.run.raise_known(state, TypeError(text))
        return
    factory = positional[0] if positional else None
    if isinstance(factory, Known) and not callable(factory.value):
        if factory.value is not None:
            error = TypeError("first argument must be callable or None")
            frame.run.raise_known(state, error)
            return
        factory = None
    empty = DictCell({}, collections.defaultdict, factory)
    yield from _filled(frame, node, state, empty, positional[1:], keywords)


@special(collections.Counter)
def counter(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``Counter(items)``: always counted by the host."""
    yield from counted(frame, node, state, positional, keywords)
