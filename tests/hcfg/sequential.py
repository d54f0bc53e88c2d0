"""Run a rewritten program statement by statement, as ``rewritten.py`` would: the oracle."""

import ast
from dataclasses import dataclass
from typing import cast

import torch

from hcfg.arguments import bind_arguments
from hcfg.execution import statement_lines
from rewriter.program import (
    Branch,
    Copy,
    HostStatement,
    Jump,
    Raise,
    Return,
    RewrittenProgram,
    Statement,
    TensorFromHost,
    TensorStatement,
)


def run_sequentially(program: RewrittenProgram, arguments: list[object]) -> object:
    """Call a program; nothing is reordered, tensors alias each other as PyTorch has it."""
    values = bind_arguments(program.entry.parameters, arguments, {})
    with torch.no_grad():
        return _Run(program=program, values=values).to_end()


@dataclass(kw_only=True)
class _Run:
    program: RewrittenProgram
    values: dict[str, object]

    def to_end(self) -> object:
        current = self.program.entry.entry
        while True:
            block = self.program.entry.blocks[current]
            for statement in block.statements:
                self.run(statement)
            match block.terminator:
                case Jump(target=target):
                    current = target
                case Branch(condition=condition, if_true=if_true, if_false=if_false):
                    current = if_true if self.evaluate(condition) else if_false
                case Return(value=value):
                    return self.evaluate(value)
                case Raise(exception=exception):
                    raise cast(BaseException, self.evaluate(exception))

    def run(self, statement: Statement) -> None:
        match statement:
            case TensorStatement() | Copy():
                lines = statement_lines(statement, self.program.entry.variables)
                exec("\n".join(lines), self.knowns(), self.values)
            case TensorFromHost():
                numbers = self.evaluate(statement.expression)
                self.values[statement.target] = torch.tensor(numbers, dtype=statement.dtype)
            case HostStatement():
                result = self.evaluate(statement.expression)
                if statement.target is not None:
                    self.values[statement.target] = result

    def evaluate(self, expression: ast.expr) -> object:
        return eval(ast.unparse(expression), {**self.knowns(), **self.values})

    def knowns(self) -> dict[str, object]:
        return {name: known.value for name, known in self.program.knowns.items()}
