"""Paths that become one at a join: those of one shape."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from rewriter.flattening import Flattening, Roots
from rewriter.leaves import is_known_text
from rewriter.state import State
from rewriter.values import HostValue, Known, Value

Arrival = tuple[State, tuple[Value, ...]]
"""A state that reaches a join, and the values on their way with it."""

Groups = dict[Hashable, list[Flattening]]
"""States by their shape."""


def grouped(arrivals: Sequence[Arrival], roots: Roots) -> Groups:
    """Return the states that reach a point by their shape, in order of first arrival."""
    groups: Groups = {}
    for state, extra in arrivals:
        flattening = Flattening(state, replace(roots, extra=extra)).run()
        groups.setdefault(tuple(flattening.shape), []).append(flattening)
    return groups


def with_texts_of_run_time(arrivals: Sequence[Arrival], roots: Roots, groups: Groups) -> Groups:
    """Return fewer groups, where known texts are of one kind with one that only the run knows."""
    paths = [path for group in groups.values() for path in group]
    if len(groups) == 1 or not any(map(_is_text_of_run_time, _leaves(paths))):
        return groups
    fewer: Groups = {}
    for shape, group in grouped(arrivals, replace(roots, loose=True)).items():
        columns = [*zip(*(path.leaves for path in group), strict=True)]
        known = [place for place, column in enumerate(columns) if all(map(is_known_text, column))]
        for path in group:
            texts = tuple(_text(path.leaves[place]) for place in known)
            fewer.setdefault((shape, texts), []).append(path)
    return fewer if len(fewer) < len(groups) else groups


def _leaves(paths: Sequence[Flattening]) -> list[Value]:
    return [leaf for path in paths for leaf in path.leaves]


def _is_text_of_run_time(leaf: Value) -> bool:
    return isinstance(leaf, HostValue) and isinstance(leaf.sample, str)


def _text(leaf: Value) -> object:
    assert isinstance(leaf, Known)
    return leaf.value
