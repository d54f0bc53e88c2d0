"""What a function of the rewritten program means, block by block, and how to observe it."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType

import torch

from rewriter.parameters import VariableInput
from rewriter.program import (
    Branch,
    Copy,
    Function,
    HostStatement,
    Jump,
    Pattern,
    Raise,
    Return,
    Statement,
    TensorFromHost,
    TensorStatement,
)

MAX_NOTES = 40


class StopRun(Exception):
    """Raised by ``note`` so that endless loops end."""


@dataclass(slots=True)
class Box:
    """Something that changes in place, and that two variables may share."""

    total: int


@dataclass(slots=True)
class Log:
    """What a run did, in order."""

    entries: list[tuple[object, ...]] = field(default_factory=list)

    def note(self, *values: object) -> bool:
        """Write down values; used as a statement and as a test with an effect."""
        self.entries.append(tuple(v.total if isinstance(v, Box) else v for v in values))
        if len(self.entries) >= MAX_NOTES:
            raise StopRun
        return sum(v if isinstance(v, int) else 1 for v in values) % 2 == 0


def pair(left: int, right: int) -> tuple[int, int]:
    """Return a tuple that a pattern takes apart."""
    return right + 1, left - 1


def bump(box: Box, amount: int) -> Box:
    """Change a box in place, and return it."""
    box.total = (box.total * 3 + amount) % 101
    return box


@dataclass(slots=True)
class Interpreter:
    """Runs a function block by block, as its data structure says."""

    function: Function
    names: dict[str, object]
    _codes: dict[int, CodeType] = field(default_factory=dict)

    def run(self, *arguments: object) -> object:
        """Return what the function returns."""
        for parameter, argument in zip(self.function.parameters, arguments, strict=True):
            assert isinstance(parameter.spec, VariableInput)
            self.names[parameter.spec.variable] = argument
        block = self.function.entry
        while True:
            content = self.function.blocks[block]
            for statement in content.statements:
                self._run(statement)
            match content.terminator:
                case Jump(target=target):
                    block = target
                case Branch() as branch:
                    block = branch.if_true if self._value(branch.condition) else branch.if_false
                case Return(value=value):
                    return self._value(value)
                case Raise(exception=exception):
                    raise self._value(exception)  # type: ignore[misc]

    def _value(self, node: ast.expr) -> object:
        code = self._codes.get(id(node))
        if code is None:
            whole = ast.fix_missing_locations(ast.Expression(body=node))
            code = self._codes[id(node)] = compile(whole, "<raw>", "eval")
        return eval(code, self.names)

    def _bind(self, pattern: Pattern, value: object) -> None:
        match pattern:
            case None:
                pass
            case str():
                self.names[pattern] = value
            case tuple():
                assert isinstance(value, tuple) and len(value) == len(pattern)
                for part, item in zip(pattern, value, strict=True):
                    self._bind(part, item)

    def _run(self, statement: Statement) -> None:
        match statement:
            case TensorStatement():
                self._bind(statement.pattern, self._value(statement.expression))
                self.names.update({new: self.names[old] for new, old in statement.updates})
            case HostStatement(target=target):
                value = self._value(statement.expression)
                if target is not None:
                    self.names[target] = value
            case TensorFromHost():
                value = self._value(statement.expression)
                self.names[statement.target] = torch.tensor(value, dtype=statement.dtype)
            case Copy():
                values = [self._value(source) for source in statement.sources]
                self.names.update(zip(statement.targets, values, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """All that can be seen of a run."""

    result: object
    log: tuple[tuple[object, ...], ...]


def observe(call: Callable[[], object], log: Log) -> Outcome:
    """Run something and return what can be seen of it."""
    log.entries.clear()
    try:
        result = _visible(call())
    except StopRun:
        result = "stopped"
    except ValueError as error:
        result = repr(error)
    return Outcome(result=result, log=tuple(log.entries))


def _visible(result: object) -> object:
    """Return a result with boxes as contents and identity."""
    assert isinstance(result, tuple)
    *numbers, left, right = result
    return (*numbers, left.total, right.total, left is right)
