"""Builtins that take what a generator gives: tried as a loop where it ends at run time."""

import functools
import heapq
import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
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
    is_plain_value,
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
        taking = _Taking(frame, node, rule, function, values, keywords)
        yield from taking.outcomes(after)


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


@dataclass(frozen=True, slots=True)
class _Taking:
    """A call that takes items, and the ways in which it may be evaluated."""

    frame: Frame
    node: cst.CSTNode
    rule: SpecialRule
    function: object
    positional: Positional
    keywords: Keywords

    def outcomes(self, state: State) -> Outcomes:
        """Yield what the first way gives that is not refused."""
        later = _Later(self.frame, self.node, at_skips=self.function in _ONE_BY_ONE)
        iterators = [value for value in self.positional if isinstance(value, IteratorValue)]
        is_any_recursive = any(is_recursive(self.frame, state, value) for value in iterators)
        if is_any_recursive and self.may_list(state):
            yield from self._recursively(state, iterators)
            return
        generators = [value for value in iterators if later.ends(state, value)]
        found = self._rolled(state, later, generators) if generators else None
        if found is None and self.function in _ALL_OF_NUMBERS:
            found = all_rows(
                self.frame, self.node, state, self.rule, self.positional, self.keywords
            )
        if found is None and not generators:
            waiting = [value for value in iterators if later.waiting(state, value)]
            found = self._ending_late(state, later, waiting) if waiting else None
        yield from self._as_it_comes(state) if found is None else found

    @property
    def combines(self) -> bool:
        """Whether each item is looked at before the next, by nothing of the user's for numbers."""
        by_key = self.keywords and self.function in (min, max)
        return self.function in _COMBINING and not by_key

    def may_list(self, state: State) -> bool:
        """Return whether a list of the items, of plain ones at least, may be made first.

        What they are added to must be plain, too: adding to an object or a tensor may see, or be
        seen by, what the iterator does in between.
        """
        if not self.combines:
            return self.function in _GATHERING
        others = (*self.positional[1:], *self.keywords.values())
        return all(is_plain_value(state, other) for other in others)

    def _as_it_comes(self, state: State) -> list[tuple[State, Value]]:
        return list(self.rule(self.frame, self.node, state, self.positional, self.keywords))

    def _rolled(
        self, state: State, later: "_Later", generators: Sequence[IteratorValue]
    ) -> list[tuple[State, Value]] | None:
        """Apply the rule to generators of which it is known that they end at run time."""

        def rolled(attempt: State) -> list[tuple[State, Value]]:
            for value in generators:
                later.foresee(attempt, value)
            return self._as_it_comes(attempt)

        return tried(self.frame, state, rolled)

    def _ending_late(
        self, state: State, later: "_Later", waiting: Sequence[IteratorValue]
    ) -> list[tuple[State, Value]] | None:
        """Apply the rule to generators that may come to such a loop later than was looked ahead."""
        frame = self.frame
        if self.node in frame.run.unrolled_loops:
            return None
        found = tried(frame, state, self._as_it_comes, is_last=True)
        if found is None and self.may_list(state):
            found = tried(frame, state, lambda attempt: list(self._listed(attempt, waiting)))

        def rolled_from_the_start(attempt: State) -> list[tuple[State, Value]]:
            for value in waiting:
                for generator in later.waiting(attempt, value):
                    foreseen(frame.run, attempt, generator)
            return self._as_it_comes(attempt)

        if found is None:
            found = tried(frame, state, rolled_from_the_start)
        if found is None:  # within another such call, all ways would be tried in each of its ways
            frame.run.unrolled_loops.add(self.node)
        return found

    def _recursively(self, state: State, iterators: Sequence[IteratorValue]) -> Outcomes:
        """Apply the rule to recursive generators, or to lists of what they give."""
        frame = self.frame
        found = taken_one_by_one(frame, state, self.positional, self._as_it_comes)
        recursive = [value for value in iterators if is_recursive(frame, state, value)]
        yield from self._listed(state, recursive) if found is None else found

    def _listed(self, state: State, taken: Sequence[IteratorValue]) -> Outcomes:
        """Apply the rule to lists of what some iterators give."""
        frame, node = self.frame, self.node
        pending: list[tuple[State, Positional]] = [(state, [])]
        for value in self.positional:
            pending = [
                (done, [*so_far, made])
                for after, so_far in pending
                for done, made in (
                    collected(frame, node, after, value, only_plain=self.combines)
                    if isinstance(value, IteratorValue) and value in taken
                    else [(after, value)]
                )
            ]
        for after, values in pending:
            yield from self.rule(frame, node, after, values, self.keywords)


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

    def waiting(self, state: State, iterator: IteratorValue) -> list[IteratorValue]:
        """Return those that an iterator takes from, and may come to such a loop all the same."""
        return [] if is_run_time(state, iterator) else _generators(state, iterator)

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
