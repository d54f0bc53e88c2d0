"""Random rewritten functions over integers and mutable boxes.

The generator writes structured code with labelled exits (every reducible graph can be
written so) and turns it into the evaluator's form while it goes: every assignment makes a
new variable, and joins and loop heads get parallel copies of everything.
"""

import ast
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import torch

from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import (
    Block,
    BlockId,
    Branch,
    Copy,
    Function,
    HostSpec,
    HostStatement,
    Jump,
    KnownReference,
    Raise,
    Return,
    RewrittenProgram,
    ScalarSpec,
    Statement,
    TensorSpec,
    TensorStatement,
    Terminator,
    Variable,
    VariableSpec,
)
from tests.rewriter.interpreting import Box, Log, bump, pair

INTEGERS = ("a", "b", "c", "d")
BOXES = ("p", "q")


def origin(line: int) -> Origin:
    """Return a place in a file that does not exist."""
    return Origin(file="model.py", line=line, column=0, end_column=1, text="", function="f")


NUMBER = ScalarSpec(type=int)
TENSOR = TensorSpec(dtype=torch.float32, shape=(1,))


@dataclass(slots=True)
class Maker:
    """Writes one random function."""

    random: random.Random
    budget: int
    variables: dict[str, Variable] = field(default_factory=dict)
    blocks: dict[BlockId, Block] = field(default_factory=dict)
    current: BlockId = 0
    version: dict[str, str] = field(default_factory=dict)
    """The variable that holds each of the user's variables now."""
    constants: list[str] = field(default_factory=list)
    """Variables that were assigned on every way to here, and never are again."""
    _statements: dict[BlockId, list[Statement]] = field(default_factory=dict)
    _phis: dict[BlockId, dict[str, str]] = field(default_factory=dict)
    _line: int = 0

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

    # --- plumbing ------------------------------------------------------------------------

    def variable(self, hint: str, spec: VariableSpec) -> str:
        """Declare a variable."""
        name = f"{hint}${len(self.variables)}"
        self.variables[name] = Variable(name=name, hint=hint, spec=spec)
        return name

    def here(self) -> Origin:
        """Return a new origin, on a new line now and then."""
        self._line += self.random.random() < 0.7
        return origin(self._line)

    def emit(self, statement: Statement) -> None:
        """Append to the current block."""
        self._statements[self.current].append(statement)

    def close(self, terminator: Terminator) -> None:
        """End the current block; code that follows is unreachable."""
        self.blocks[self.current] = Block(
            statements=tuple(self._statements[self.current]), terminator=terminator
        )
        self.current = -1

    def block(self) -> BlockId:
        """Open a block."""
        block = len(self._statements)
        self._statements[block] = []
        return block

    def label(self) -> BlockId:
        """Open a block with several ways in: each variable may come in differently."""
        block = self.block()
        self._phis[block] = {
            name: self.variable(self.hint(name), self.variables[old].spec)
            for name, old in self.version.items()
            if name in (*INTEGERS, *BOXES)
        }
        return block

    def hint(self, name: str) -> str:
        """Return the user's name, or another or a temporary one now and then."""
        if name.startswith("constant"):
            return self.random.choice(INTEGERS)
        choices = [name, name, name, "_value", self.random.choice(INTEGERS)]
        return self.random.choice(choices)

    def jump(self, label: BlockId) -> None:
        """End the current block by going on at a label."""
        phis = self._phis[label]
        pairs = [(phi, self.version[name]) for name, phi in phis.items()]
        pairs = [(target, source) for target, source in pairs if target != source]
        self.random.shuffle(pairs)
        if pairs:
            self.emit(
                Copy(
                    targets=tuple(target for target, _ in pairs),
                    sources=tuple(ast.Name(id=s, ctx=ast.Load()) for _, s in pairs),
                    origin=self.here(),
                )
            )
        self.close(Jump(target=label))

    def start(self, block: BlockId, version: Mapping[str, str] | None = None) -> None:
        """Go on writing in a block."""
        self.current = block
        constants = {name: self.version[name] for name in self.constants}
        self.version = constants | dict(self._phis[block] if version is None else version)

    def read(self, text: str) -> ast.expr:
        """Parse an expression over the user's variables."""
        parsed = ast.parse(text, mode="eval").body
        for node in ast.walk(parsed):
            if isinstance(node, ast.Name):
                node.id = self.version.get(node.id, node.id)
        return parsed

    # --- statements -----------------------------------------------------------------------

    def assign(self, name: str, text: str, spec: VariableSpec = NUMBER) -> None:
        """Assign one of the user's variables."""
        target = self.variable(self.hint(name), spec)
        self.emit(HostStatement(target=target, expression=self.read(text), origin=self.here()))
        self.version[name] = target

    def sum(self) -> str:
        """Return a random expression."""
        name = self.random.choice
        if self.constants and self.random.random() < 0.4:
            return f"{name(self.constants)} + {name(INTEGERS)}"
        return name(
            [
                f"{name(INTEGERS)} + {name(INTEGERS)} * 2",
                f"{name(INTEGERS)} - {self.random.randint(-2, 5)}",
                f"({name(INTEGERS)} ^ {name(INTEGERS)}) % 7",
                f"{name(BOXES)}.total + {name(INTEGERS)}",
                f"max({name(INTEGERS)}, {name(INTEGERS)}, -1)",
            ]
        )

    def simple(self) -> None:
        """Write one statement."""
        kinds = "sum sum swap note bump alias pair parts copy dead constant"
        kind = self.random.choice(kinds.split())
        name = self.random.choice(INTEGERS)
        match kind:
            case "sum":
                self.assign(name, self.sum())
            case "constant":
                constant = f"constant_{len(self.variables)}"
                self.assign(constant, self.sum())
                self.constants.append(constant)
            case "dead":
                target = self.variable("unused", NUMBER)
                value = self.read(self.sum())
                self.emit(HostStatement(target=target, expression=value, origin=self.here()))
            case "copy" | "swap":
                other = self.random.choice(INTEGERS)
                mine, others = self.version[name], self.version[other]
                self.version[name] = others
                self.version[other] = mine if kind == "swap" else others
            case "note":
                self.note()
            case "alias":
                self.version["p"] = self.version["q"]
            case "bump":
                self.bump()
            case "pair":
                self.pair()
            case "parts":
                self.parts(name)

    def note(self) -> None:
        """Write an effect."""
        known = self.random.choice([*INTEGERS, *BOXES])
        text = f"note({self._line}, {self.random.choice(INTEGERS)}, {known})"
        target = self.variable("_seen", ScalarSpec(type=bool))
        self.emit(
            HostStatement(
                target=self.random.choice([None, target]),
                expression=self.read(text),
                origin=self.here(),
                effect=True,
            )
        )

    def bump(self) -> None:
        """Change a box in place."""
        name = self.random.choice(BOXES)
        old = {n: self.version[n] for n in BOXES if n == name or self.random.random() < 0.3}
        new = {n: self.variable(self.hint(n), self.variables[v].spec) for n, v in old.items()}
        result = self.variable("r", HostSpec(description="box"))
        # Two of the user's variables may be one variable here: it is updated once.
        updates = {old[n]: new[n] for n in old}
        value = self.read(f"bump({name}, {self.random.choice(INTEGERS)})")
        self.emit(
            TensorStatement(
                pattern=self.random.choice([None, result]),
                expression=value,
                origin=self.here(),
                updates=tuple((n, o) for o, n in updates.items()),
            )
        )
        self.version = {n: updates.get(v, v) for n, v in self.version.items()}

    def pair(self) -> None:
        """Take a tuple apart."""
        left, right = self.random.sample(INTEGERS, 2)
        value = self.read(f"pair({left}, {right})")
        targets = tuple(self.variable(self.hint(name), NUMBER) for name in (left, right))
        self.emit(TensorStatement(pattern=targets, expression=value, origin=self.here()))
        self.version[left], self.version[right] = targets

    def parts(self, name: str) -> None:
        """Compute with temporaries, in and out of order."""
        version = dict(self.version)
        for part in ("_left", "_right"):
            self.version[part] = self.variable(part, NUMBER)
            text = self.random.choice([self.sum(), f"note({self._line}, {name})"])
            names = {**self.version, part: ""}
            value = ast.parse(text, mode="eval").body
            for node in ast.walk(value):
                if isinstance(node, ast.Name):
                    node.id = names.get(node.id) or node.id
            self.emit(
                HostStatement(
                    target=self.version[part],
                    expression=value,
                    origin=self.here(),
                    effect="note" in text,
                )
            )
        sums = ["_left - _right", "_right - _left", "p.total + _left", "q.total * 2 - _right"]
        text = self.random.choice(sums)
        value = self.read(text)
        self.version = version
        target = self.variable(self.hint(name), NUMBER)
        self.emit(HostStatement(target=target, expression=value, origin=self.here()))
        self.version[name] = target

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
