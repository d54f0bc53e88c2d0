"""Builtins that take what a generator gives: tried as a loop where it ends at run time."""

import functools
import heapq
import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.builtin_functions.combined_iterators import never_ends
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, next_item
from rewriter.evaluation.containers.user_mappings import taken_as_dict
from rewriter.evaluation.control.iteration import walked, walked_and_counted
from rewriter.evaluation.control.open_iterations import tried
from rewriter.evaluation.generators.all_rows import all_rows
from rewriter.evaluation.generators.generators import foreseen, is_waiting
from rewriter.evaluation.generators.recursive_generators import (
    collected,
    is_recursive,
    taken_one_by_one,
)
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.state import State
from rewriter.values import IteratorCell, IteratorValue, Reference, Value

_TAKE_ALL: frozenset[object] = frozenset(
    {sum, list, tuple, set, frozenset, sorted, min, max, any, all, deque, functools.reduce,
     dict, Counter, heapq.nlargest, heapq.nsmallest, math.prod}
)  # fmt: skip
_GATHERING: frozenset[object] = frozenset({list, tuple, sorted, deque})
"""What takes all items and looks at none of them before it has them."""
_COMBINING: frozenset[object] = frozenset({sum, set, frozenset, min, max, Counter, math.prod})
"""What looks at each item before it takes the next: at numbers and texts whenever it likes."""
_ALL_OF_NUMBERS = _TAKE_ALL - {any, all, functools.reduce}
"""What takes all items for certain, with no effect and no error of its own if these are plain."""
_ONE_BY_ONE: frozenset[object] = frozenset({next, enumerate, zip, map, filter})
"""What takes no more than one item at a time of a ``while`` loop that is left on some paths."""
_OF_FUNCTIONS: frozenset[object] = frozenset({map, filter, functools.reduce})
_MOST_TRIED = 3
"""Items after which a generator is taken to go on as it began."""


def taking_items(
    frame: Frame, node: cst.CSTNode, state: State, rule: SpecialRule, function: object,
    positional: Positional, keywords: Keywords,
) -> Outcomes:  # fmt: skip
    """Apply a rule; one that takes the items of a generator, by a loop where that is possible.

    In the place of objects stands what their ``__iter__`` gives.
    """
    if function not in _TAKE_ALL and function not in _ONE_BY_ONE:
        yield from rule(frame, node, state, positional, keywords)
        return
    for after, values in _walked(frame, node, state, function, positional):
        yield from _foreseeing(frame, node, after, rule, function, values, keywords)


def _walked(
    frame: Frame, node: cst.CSTNode, state: State, function: object, positional: Positional
) -> Iterator[tuple[State, Positional]]:
    """Yield the arguments, with what is walked in place of objects with an ``__iter__``."""
    among_several = function in (min, max) and len(positional) > 1
    pending: list[tuple[State, Positional]] = [(state, [])]
    for place, value in enumerate(positional):
        as_it_is = among_several or function is next or (place == 0 and function in _OF_FUNCTIONS)
        pending = [
            (done, [*so_far, found])
            for after, so_far in pending
            for done, found in (
                [(after, value)] if as_it_is else _in_place(frame, node, after, function, value)
            )
        ]
    yield from pending


def _in_place(
    frame: Frame, node: cst.CSTNode, state: State, function: object, value: Value
) -> Outcomes:
    """Yield what is walked in an object's place; ``dict`` and ``Counter`` read mappings."""
    is_mapping = issubclass(class_of(state, value) or object, Mapping)
    if function is Counter and is_mapping and method_of(state, value, "items") is not None:
        frame.refuse("DYCL039", node, "Counter() of an object of this class")
    if function is not dict:
        taken = walked_and_counted if function in (list, tuple, sorted) else walked
        yield from taken(frame, node, state, value)
        return
    for after, given in taken_as_dict(frame, node, state, value):
        yield from walked(frame, node, after, given)


def _foreseeing(
    frame: Frame, node: cst.CSTNode, state: State, rule: SpecialRule, function: object,
    positional: Positional, keywords: Keywords,
) -> Outcomes:  # fmt: skip
    later = _Later(frame, node, at_skips=function in _ONE_BY_ONE)
    generators = [
        value
        for value in positional
        if isinstance(value, IteratorValue) and later.ends(state, value)
    ]

    def rolled(attempt: State) -> list[tuple[State, Value]]:
        for value in generators:
            later.foresee(attempt, value)
        return as_it_comes(attempt)

    def as_it_comes(attempt: State) -> list[tuple[State, Value]]:
        return list(rule(frame, node, attempt, positional, keywords))

    def rolled_from_the_start(attempt: State) -> list[tuple[State, Value]]:
        for value in waiting:
            foreseen(frame.run, attempt, value)
        return as_it_comes(attempt)

    recursive = [value for value in positional if is_recursive(frame, state, value)]
    combines = function in _COMBINING and not (keywords and function in (min, max))
    if recursive and (combines or function in _GATHERING):
        yield from _at_once(frame, node, state, rule, positional, keywords, combines)
        return
    found = tried(frame, state, rolled) if generators else None
    if found is None and function in _ALL_OF_NUMBERS:
        found = all_rows(frame, node, state, rule, positional, keywords)
    waiting = [] if generators else later.waiting(state, positional)
    if found is None and waiting:
        found = tried(frame, state, as_it_comes, is_last=True)
        if found is None:
            found = tried(frame, state, rolled_from_the_start)
    yield from as_it_comes(state) if found is None else found


def _at_once(
    frame: Frame, node: cst.CSTNode, state: State, rule: SpecialRule,
    positional: Positional, keywords: Keywords, combines: bool,
) -> Outcomes:  # fmt: skip
    """Apply a rule to recursive generators, or to lists of what they give."""
    found = taken_one_by_one(
        frame,
        state,
        positional,
        lambda before: list(rule(frame, node, before, positional, keywords)),
    )
    if found is not None:
        yield from found
        return
    pending: list[tuple[State, Positional]] = [(state, [])]
    for value in positional:
        pending = [
            (done, [*so_far, made])
            for after, so_far in pending
            for done, made in (
                collected(frame, node, after, value, only_plain=combines)
                if isinstance(value, IteratorValue) and is_recursive(frame, after, value)
                else [(after, value)]
            )
        ]
    for after, values in pending:
        yield from rule(frame, node, after, values, keywords)


@dataclass(frozen=True, slots=True)
class _Later:
    """Which generators come to a loop that ends at run time."""

    frame: Frame
    node: cst.CSTNode
    at_skips: bool
    """Whether a loop counts only if the generator cannot go on without others going round."""

    def foresee(self, state: State, iterator: IteratorValue) -> None:
        """Let those that an iterator takes its items from end at run time, or never."""
        for generator in _generators(state, iterator):
            if never_ends(state, generator) or self.ends(state, generator):
                foreseen(self.frame.run, state, generator)

    def ends(self, state: State, iterator: IteratorValue) -> bool:
        """Return whether one comes to such a loop; leaves it as it is."""
        if is_run_time(state, iterator) or not _generators(state, iterator):
            return False
        run = self.frame.run
        checkpoint = run.builder.checkpoint(state.block)
        raised, diagnostics = len(run.sinks[-1]), len(run.diagnostics)
        try:
            return self._comes_to_a_loop(state.fork(state.block), iterator)
        except Refused:
            return False
        finally:
            run.builder.rollback(checkpoint)
            del run.sinks[-1][raised:]
            del run.diagnostics[diagnostics:]

    def waiting(self, state: State, values: Positional) -> list[IteratorValue]:
        """Return the generators among some values that may come to such a loop all the same."""
        return [
            generator
            for value in values
            if isinstance(value, IteratorValue) and not is_run_time(state, value)
            for generator in _generators(state, value)
        ]

    def _comes_to_a_loop(self, state: State, iterator: IteratorValue) -> bool:
        pending = [state]
        for _ in range(_MOST_TRIED):
            following: list[State] = []
            for before in pending:
                for after, item in next_item(
                    self.frame, self.node, before, iterator, becoming=True
                ):
                    if item is SKIPPED:
                        return True
                    if is_run_time(after, iterator) and not self.at_skips:
                        return True
                    if item is not None:
                        following.append(after)
            pending = following
        return False


def _generators(state: State, iterator: IteratorValue) -> list[IteratorValue]:
    """Return the generators that an iterator takes its items from, itself included."""
    if is_waiting(state, iterator):
        return [iterator]
    parts = state.cell(Reference(iterator.identity), IteratorCell).items
    inner = [part for part in parts if isinstance(part, IteratorValue)]
    return [generator for part in inner for generator in _generators(state, part)]
