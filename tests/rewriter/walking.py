"""Two ways to walk a control-flow graph with the same decisions: as a graph, as nested code."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto

from rewriter.printing.structured import (
    Body,
    Break,
    Continue,
    Enter,
    If,
    IfFlag,
    Item,
    Loop,
    Once,
    Places,
    SetFlag,
    Straight,
)

Edges = Mapping[int, Sequence[int]]
STEPS = 60


class OutOfSteps(Exception):
    """The walk is long enough."""


@dataclass(slots=True)
class Walk:
    """Notes the nodes that are passed, and decides at each test."""

    decide: Callable[[], bool]
    passed: list[int] = field(default_factory=list)

    def visit(self, node: int) -> None:
        """Note that a node runs."""
        self.passed.append(node)
        if len(self.passed) == STEPS:
            raise OutOfSteps


def decisions(seed: int) -> Callable[[], bool]:
    """Return a source of decisions."""
    generator = random.Random(seed)
    return lambda: generator.random() < 0.5


def walk_graph(edges: Edges, entry: int, seed: int) -> list[int]:
    """Return the nodes passed in the graph itself."""
    walk = Walk(decisions(seed))
    node = entry
    try:
        while True:
            walk.visit(node)
            match edges[node]:
                case ():
                    return walk.passed
                case (after,):
                    node = after
                case (if_true, if_false):
                    node = if_true if walk.decide() else if_false
    except OutOfSteps:
        return walk.passed


class End(Enum):
    """How a body ended."""

    THROUGH = auto()
    BREAK = auto()
    CONTINUE = auto()
    LEFT = auto()


def walk_body(body: Body[int], edges: Edges, tests: Collection[int], seed: int) -> list[int]:
    """Return the nodes passed in the structured code."""
    walker = _Walker(edges, tests, Walk(decisions(seed)))
    with suppress(OutOfSteps):
        assert walker.body(body) is End.LEFT, "the code ends without leaving the function"
    return walker.walk.passed


@dataclass(slots=True)
class _Walker:
    edges: Edges
    tests: Collection[int]
    walk: Walk
    flags: dict[int, bool] = field(default_factory=dict)
    place: int = 0

    def body(self, body: Body[int]) -> End:
        for item in body:
            end = self.item(item)
            if end is not End.THROUGH:
                return end
        return End.THROUGH

    def item(self, item: Item[int]) -> End:
        match item:
            case Straight(node=node):
                self.walk.visit(node)
                return End.THROUGH if self.edges[node] else End.LEFT
            case If():
                return self.body(item.then if self.test(item.node, item.negated) else item.orelse)
            case Loop() | Once() | Places():
                return self.repeat(item)
            case Break():
                return End.BREAK
            case Continue():
                return End.CONTINUE
            case SetFlag():
                self.flags[item.flag] = item.value
                return End.THROUGH
            case IfFlag():
                return self.item(item.action) if self.flags[item.flag] else End.THROUGH
            case Enter():
                self.place = item.place
                return End.THROUGH

    def test(self, node: int, negated: bool) -> bool:
        if node in self.tests:
            self.walk.visit(node)
        return self.walk.decide() is not negated

    def repeat(self, item: Loop[int] | Once[int] | Places[int]) -> End:
        while True:
            before = len(self.walk.passed)
            match item:
                case Loop():
                    if item.test is not None and not self.test(item.test, item.negated):
                        return End.THROUGH
                    end = self.body(item.body)
                case Once():
                    end = self.body(item.body)
                    assert end in (End.BREAK, End.LEFT), "a region ran more than once"
                case Places():
                    end = self.places(item)
            if end in (End.BREAK, End.LEFT):
                return End.THROUGH if end is End.BREAK else end
            assert len(self.walk.passed) > before, "a round without a step"

    def places(self, item: Places[int]) -> End:
        self.place = 0 if not self.walk.passed else self.place
        for number, body in enumerate(item.bodies):
            if number == self.place and (end := self.body(body)) is not End.THROUGH:
                return end
        return End.THROUGH


def all_items(body: Body[int]) -> Iterator[Item[int]]:
    """Yield every item, at every depth."""
    for item in body:
        yield item
        match item:
            case If(then=then, orelse=orelse):
                yield from all_items(then)
                yield from all_items(orelse)
            case Loop(body=inner) | Once(body=inner):
                yield from all_items(inner)
            case Places(bodies=bodies):
                for inner in bodies:
                    yield from all_items(inner)
            case Straight() | Break() | Continue() | SetFlag() | IfFlag() | Enter():
                pass


def depth(body: Body[int]) -> int:
    """Return the levels of indentation; an ``elif`` needs none of its own."""
    levels = 0
    for item in body:
        match item:
            case If(then=then, orelse=orelse):
                chained = len(orelse) == 1 and isinstance(orelse[0], If)
                levels = max(levels, 1 + depth(then), depth(orelse) + (not chained and 1))
            case Loop(body=inner) | Once(body=inner):
                levels = max(levels, 1 + depth(inner))
            case Places(bodies=bodies):
                levels = max(levels, *(2 + depth(inner) for inner in bodies))
            case Straight() | Break() | Continue() | SetFlag() | IfFlag() | Enter():
                pass
    return levels
