"""Writing the blocks of a random function: new variables, parallel copies, places."""

import ast
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from rewriter.origin import Origin
from rewriter.program import (
    Block,
    BlockId,
    Copy,
    HostStatement,
    Jump,
    ScalarSpec,
    Statement,
    TensorSpec,
    Terminator,
    Variable,
    VariableSpec,
)

INTEGERS = ("a", "b", "c", "d")
BOXES = ("p", "q")


def origin(line: int) -> Origin:
    """Return a place in a file that does not exist."""
    return Origin(file="model.py", line=line, column=0, end_column=1, text="", function="f")


NUMBER = ScalarSpec(type=int)
TENSOR = TensorSpec(dtype=torch.float32, shape=(1,))


@dataclass(slots=True)
class Writer:
    """Writes a function block by block, as the evaluator would."""

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
