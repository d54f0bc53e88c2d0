"""Random rewritten functions over integers and mutable boxes.

The generator writes structured code with labelled exits (every reducible graph can be
written so) and turns it into the evaluator's form while it goes: every assignment makes a
new variable, and joins and loop heads get parallel copies of everything.
"""

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import (
    BlockId,
    Branch,
    Function,
    HostSpec,
    HostStatement,
    Jump,
    KnownReference,
    Raise,
    Return,
    RewrittenProgram,
    ScalarSpec,
)
from tests.rewriter.interpreting import Box, Log, bump, pair
from tests.rewriter.random_statements import StatementMaker
from tests.rewriter.random_writer import BOXES, INTEGERS, NUMBER


@dataclass(slots=True)
class Maker(StatementMaker):
    """Writes one random function."""

    def function(self) -> Function:
        """Return the function."""
        parameters = []
        self._statements[0] = []
        for name in INTEGERS[:3]:
            self.version[name] = self.variable(name, NUMBER)
            spec = VariableInput(variable=self.version[name], spec=NUMBER)
            parameters.append(Parameter(name=name, spec=spec))
        self.assign("d", "a + 1")
        for name in BOXES:
            self.assign(name, f"box({self.random.choice(INTEGERS)})", HostSpec(description="box"))
        self.body([], self.random.randint(2, 5))
        if self.current >= 0:
            self.leave()
        return Function(
            name="forward",
            parameters=tuple(parameters),
            variables=self.variables,
            blocks=self.blocks,
            entry=0,
        )

    # --- control flow ----------------------------------------------------------------------

    def test(self) -> tuple[ast.expr, Origin]:
        """Return a condition, with its statements before it."""
        name = self.random.choice
        if self.random.random() < 0.2:
            return self.read(f"note({self._line}, {name(INTEGERS)}, {name(BOXES)})"), self.here()
        if self.random.random() < 0.5:
            return self.read(f"({self.sum()}) % {self.random.randint(2, 3)} == 0"), self.here()
        target = self.variable(name(["_test", "test"]), ScalarSpec(type=bool))
        value = self.read(f"{name(INTEGERS)} > {name(INTEGERS)}")
        self.emit(HostStatement(target=target, expression=value, origin=self.here()))
        return ast.Name(id=target, ctx=ast.Load()), self.here()

    def branch(self) -> tuple[BlockId, BlockId]:
        """End the current block with a branch to two new ones."""
        condition, place = self.test()
        if_true, if_false = self.block(), self.block()
        self.close(Branch(condition=condition, if_true=if_true, if_false=if_false, origin=place))
        return if_true, if_false

    def leave(self) -> None:
        """Return or raise."""
        if self.random.random() < 0.15:
            text = f"ValueError({self.random.choice(INTEGERS)})"
            self.close(Raise(exception=self.read(text), origin=self.here()))
        else:
            self.close(Return(value=self.read("(a, [b, c], d, p, q)"), origin=self.here()))

    def body(self, labels: list[BlockId], length: int) -> None:
        """Write statements until one leaves or the length is reached."""
        known = len(self.constants)
        for _ in range(length):
            self.budget -= 1
            if self.current < 0:
                break
            self.statement(labels)
        del self.constants[known:]

    def statement(self, labels: list[BlockId]) -> None:
        """Write a statement of any kind."""
        kind = self.random.random()
        if self.budget <= 0 or kind < 0.4:
            self.simple()
        elif kind < 0.6:
            self.choice(labels)
        elif kind < 0.65:
            self.circuit(labels)
        elif kind < 0.78:
            self.loop(labels)
        elif kind < 0.88:
            after = self.label()
            self.body([*labels, after], self.random.randint(1, 4))
            if self.current >= 0:
                self.jump(after)
            self.go_on(after)
        elif labels and kind < 0.97:
            self.jump(self.random.choice(labels))
        elif kind < 0.98:
            self.leave()
        else:
            self.simple()

    def go_on(self, label: BlockId) -> None:
        """Continue at a label, if anything leads there."""
        reached = any(
            label in (b.terminator.target,)
            for b in self.blocks.values()
            if isinstance(b.terminator, Jump)
        )
        if reached:
            self.start(label)
        else:
            self.current = -1
            self._statements.pop(label) if label == len(self._statements) - 1 else None

    def choice(self, labels: list[BlockId]) -> None:
        """Write an if with one or two arms, either of which may leave."""
        version = dict(self.version)
        arms = self.branch()
        version = {**self.version, **version}
        after = self.label()
        for arm in arms:
            self.start(arm, version)
            if self.random.random() < 0.7:
                self.body(labels, self.random.randint(1, 3))
            if self.current >= 0:
                self.jump(after)
        self.go_on(after)

    def circuit(self, labels: list[BlockId]) -> None:
        """Write two tests in a row that share an outcome, as ``and`` and ``or`` do."""
        first, second = self.random.sample(self.branch(), 2)
        version = dict(self.version)
        shared, after = self.label(), self.label()
        self.start(first, version)
        self.jump(shared)
        self.start(second, version)
        third, fourth = self.random.sample(self.branch(), 2)
        version = dict(self.version)
        self.start(third, version)
        self.jump(shared)
        for block in (fourth, shared):
            self.start(block, version if block == fourth else None)
            self.body(labels, self.random.randint(1, 2))
            if self.current >= 0:
                self.jump(after)
        self.go_on(after)

    def loop(self, labels: list[BlockId]) -> None:
        """Write a loop with a test at its head, or with exits inside only."""
        head = self.label()
        self.jump(head)
        self.start(head)
        self.note()
        after = self.label()
        if self.random.random() < 0.6:
            version = dict(self.version)
            inside, outside = self.branch()
            self.start(outside, version)
            self.jump(after)
            self.start(inside, version)
        self.body([*labels, head, after], self.random.randint(1, 4))
        if self.current >= 0:
            self.jump(head)
        self.go_on(after)


def random_program(seed: int, budget: int = 30) -> RewrittenProgram:
    """Return the program for a seed."""
    log = Log()
    functions: Mapping[str, Callable[..., object]] = {
        "note": log.note,
        "pair": pair,
        "bump": bump,
        "box": Box,
    }
    return RewrittenProgram(
        name="random",
        entry=Maker(random.Random(seed), budget).function(),
        knowns={
            name: KnownReference(name=name, path=None, value=value)
            for name, value in functions.items()
        },
        source_file="model.py",
    )


def arguments(seed: int, count: int) -> Iterator[tuple[int, int, int]]:
    """Yield arguments that take different paths."""
    generator = random.Random(seed)
    for _ in range(count):
        yield tuple(generator.randint(-6, 9) for _ in range(3))  # type: ignore[misc]
