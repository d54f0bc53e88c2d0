"""Views of parts of tensors at integers of run time, as expressions of the part's variable."""

import ast

from rewriter.builder import tensor_spec
from rewriter.chosen_places import ChosenPart
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.leaf.retaking import retakes_of
from rewriter.program import TensorStatement
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import TensorValue


def is_view(part: ChosenPart, leaf: TensorValue) -> bool:
    """Return whether a tensor is a part, or a view of it that an expression gives."""
    return same_view(part.part, leaf.fake) or _view(part, "", leaf) is not None


def _view(part: ChosenPart, name: str, leaf: TensorValue) -> ast.expr | None:
    """Return a view of a part as an expression of the part's variable, None if there is none."""
    whole = TensorValue(name, part.part)
    return next((view for _, view in retakes_of([whole, leaf])), None)


def viewed(
    operation: Operation, state: State, part: ChosenPart, name: str, leaf: TensorValue
) -> str:
    """Emit such a view; return its variable: that of the part for all of it."""
    if same_view(part.part, leaf.fake):
        return name
    builder, view = operation.run.builder, _view(part, name, leaf)
    assert view is not None
    new = builder.variable(builder.variables[leaf.name].hint, tensor_spec(leaf.fake))
    origin = operation.frame.origin(operation.node)
    builder.emit(state.block, TensorStatement(pattern=new, expression=view, origin=origin))
    return new
