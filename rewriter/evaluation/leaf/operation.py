"""One library operation that is about to be evaluated, and its operands."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import libcst as cst
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.operands import known_tensors, tensors_of
from rewriter.evaluation.rendering import NotMaterial, materialize
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value


@dataclass(frozen=True, slots=True)
class Operation:
    """A library operation on values, and how the program writes it."""

    frame: Frame
    node: cst.CSTNode
    state: State
    compute: Callable[..., object]
    operands: tuple[Value, ...]
    keywords: dict[str, Value]
    expression: ast.expr
    stores_into: ast.expr | None = None
    description: str = ""
    module: bool = False
    """A module's call: its parameters are operands that do not show."""

    @property
    def run(self) -> Run:
        """Return the run this belongs to."""
        return self.frame.run

    @property
    def title(self) -> str:
        """Return what a refusal calls the operation."""
        return self.description or "this operation"

    def tensors(self) -> list[TensorValue]:
        """Return the run-time tensors among the operands, wherever they stand in containers."""
        return tensors_of(self.state, (*self.operands, *self.keywords.values()))

    def known(self) -> list[Known]:
        """Return the tensors and numbers known at compile time among the operands."""
        return known_tensors(self.state, (*self.operands, *self.keywords.values()))

    def refuse(self, code: str, message: str, help: str = "") -> NoReturn:
        """Refuse the program at this operation."""
        self.frame.refuse(code, self.node, message, help)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fakes:
    """The operands of an operation as Python objects, with fake tensors for run-time ones."""

    arguments: list[object]
    keywords: dict[str, object]

    def leaves(self) -> list[object]:
        """Return what stands in the operands' containers."""
        return tree_leaves((self.arguments, self.keywords))


def materialized(operation: Operation) -> Fakes:
    """Return the operands of an operation as objects that it can be tried on."""
    run, state = operation.run, operation.state
    try:
        fakes = Fakes(
            arguments=[materialize(state, operand, run) for operand in operation.operands],
            keywords={
                name: materialize(state, value, run) for name, value in operation.keywords.items()
            },
        )
    except NotMaterial as error:
        operation.refuse("DYCL030", f"{error.reason} is used in a tensor operation")
    state.asking(state, (fakes.arguments, fakes.keywords), False)
    for known in operation.known():
        run.mark_lasting(known.value)
    return fakes
