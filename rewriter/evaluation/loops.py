"""Loops with a trip count known at compile time: unrolled, one copy of the body per item."""

from dataclasses import dataclass

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.statements import execute_suite, join
from rewriter.evaluation.truth import truths
from rewriter.scope import names_read
from rewriter.state import Broke, Completion, Continued, Next, State
from rewriter.values import ListCell, Reference, Value


@dataclass(slots=True)
class _Iteration:
    """One path inside a loop, and the items that it walks over."""

    state: State
    source: Value
    items: tuple[Value, ...]

    def item(self, index: int) -> Value | None:
        """Return the next item; a list that the program made is read as it is now."""
        items = self.items
        if isinstance(self.source, Reference):
            cell = self.state.heap.get(self.source.identity)
            if isinstance(cell, ListCell):
                items = cell.items
        return items[index] if index < len(items) else None


@statement_rule(cst.For)
def for_(frame: Frame, node: cst.For, state: State) -> list[Completion]:
    """``for target in items: ... else: ...``."""
    if node.asynchronous is not None:
        frame.refuse("DYCL002", node, "async loops are not supported")
    finished: list[Completion] = []
    exhausted: list[State] = []
    broken: list[State] = []
    for after, iterable in evaluate(frame, node.iter, state):
        for start, items in items_of(frame, node.iter, after, iterable):
            ended = _walk(frame, node, start, iterable, items, broken)
            finished += [c for c in ended if not isinstance(c, Next)]
            exhausted += [c.state for c in ended if isinstance(c, Next)]
    return [*finished, *_after_loop(frame, node, exhausted, broken)]


def _walk(
    frame: Frame,
    node: cst.For,
    state: State,
    source: Value,
    items: tuple[Value, ...],
    broken: list[State],
) -> list[Completion]:
    pending = [state]
    finished: list[Completion] = []
    index = 0
    with _looping(frame, node):
        while pending:
            if index > frame.run.options.most_iterations:
                frame.refuse("DYCL024", node, f"the loop runs more than {index - 1} times")
            bodies: list[Completion] = []
            for before in pending:
                item = _Iteration(before, source, items).item(index)
                if item is None:
                    finished.append(Next(before))
                    continue
                for bound in assign(frame, node.target, before, item):
                    bodies += execute_suite(frame, node.body, bound)
            broken += [c.state for c in bodies if isinstance(c, Broke)]
            finished += [c for c in bodies if not isinstance(c, Next | Broke | Continued)]
            going_on = [Next(c.state) for c in bodies if isinstance(c, Next | Continued)]
            pending = join(frame, node, list(going_on))
            index += 1
    return finished


class _looping:  # noqa: N801 (used like a function)
    """While a loop's body is evaluated, all that the loop reads may be read again."""

    def __init__(self, frame: Frame, node: cst.For | cst.While) -> None:
        self.frame = frame
        later = frame.continuations[-1] if frame.continuations else frozenset()
        self.live = names_read(node) | later

    def __enter__(self) -> None:
        self.previous = self.frame.live
        self.frame.continuations.append(self.live)
        self.frame.live = self.live

    def __exit__(self, *_: object) -> None:
        self.frame.continuations.pop()
        self.frame.live = self.previous


def _after_loop(
    frame: Frame, node: cst.For | cst.While, exhausted: list[State], broken: list[State]
) -> list[Completion]:
    completions: list[Completion] = []
    for state in join(frame, node, [Next(state) for state in exhausted]):
        if node.orelse is None:
            completions.append(Next(state))
        else:
            completions += execute_suite(frame, node.orelse.body, state)
    return [*completions, *(Next(state) for state in broken)]


@statement_rule(cst.While)
def while_(frame: Frame, node: cst.While, state: State) -> list[Completion]:
    """``while test: ... else: ...`` whose test is known at compile time in each iteration."""
    pending = [state]
    finished: list[Completion] = []
    exhausted: list[State] = []
    broken: list[State] = []
    iterations = 0
    with _looping(frame, node):
        while pending:
            iterations += 1
            if iterations > frame.run.options.most_iterations:
                frame.refuse("DYCL024", node, f"the loop runs more than {iterations - 1} times")
            bodies: list[Completion] = []
            for before in pending:
                blocks = before.block
                for after, value in evaluate(frame, node.test, before):
                    for arm, truth in truths(frame, node.test, after, value):
                        if arm.block != blocks:
                            frame.refuse(
                                "DYCL062",
                                node,
                                "the number of iterations is known only at run time",
                                "loops with a run-time test are not supported yet",
                            )
                        if truth:
                            bodies += execute_suite(frame, node.body, arm)
                        else:
                            exhausted.append(arm)
            broken += [c.state for c in bodies if isinstance(c, Broke)]
            finished += [c for c in bodies if not isinstance(c, Next | Broke | Continued)]
            going_on = [Next(c.state) for c in bodies if isinstance(c, Next | Continued)]
            pending = join(frame, node, list(going_on))
    return [*finished, *_after_loop(frame, node, exhausted, broken)]
