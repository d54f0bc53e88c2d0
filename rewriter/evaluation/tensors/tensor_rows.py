"""Walking over a dimension whose size is known only at run time: a row for each step."""

import ast
from dataclasses import dataclass

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.lazy_iterators import Items, lazy_iterator
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.size_values import size_value, sized
from rewriter.size_expressions import key_of
from rewriter.state import State
from rewriter.values import (
    IteratorCell,
    IteratorValue,
    Known,
    MethodValue,
    Reference,
    TensorValue,
    Value,
)


def row_iterator(frame: Frame, node: cst.CSTNode, state: State, tensor: Value) -> IteratorValue:
    """Return an iterator over the rows of a tensor.

    Its position is a run-time number from the start, so that all rows are made alike.
    """
    run = frame.run
    zero = host_scalar(run, state, ast.Constant(value=0), int, frame.origin(node))
    first = sized(run, zero, run.sizes.new(0, 0))
    return lazy_iterator(run, state, (tensor, first), Rows())


def unknown_rows(
    frame: Frame, node: cst.CSTNode, state: State, tensor: Value, arguments: list[Value]
) -> Outcomes | None:
    """Return what ``tensor.unbind(dim)`` gives where nobody knows how many.

    That is a tuple, which takes a loop to make; an iterator where it is walked once, at once.
    """
    dim = arguments[0] if arguments else Known(0)
    if not isinstance(tensor, TensorValue) or not isinstance(dim, Known):
        return None
    if not isinstance(dim.value, int):
        return None
    rank = tensor.fake.dim()
    if not -rank <= dim.value < rank or isinstance(key_of(tensor.fake.shape[dim.value]), int):
        return None
    moved = call_value(frame, node, state, MethodValue(tensor, "movedim"), [dim, Known(0)], {})
    return _rows(frame, node, moved)


def _rows(frame: Frame, node: cst.CSTNode, tensors: Outcomes) -> Outcomes:
    for after, tensor in tensors:
        rows = row_iterator(frame, node, after, tensor)
        if _is_walked_at_once(node, frame.statement):
            yield after, rows
        else:
            yield from call_value(frame, node, after, Known(tuple), [rows], {})


def _is_walked_at_once(call: cst.CSTNode, statement: cst.CSTNode | None) -> bool:
    """Return whether a loop, a comprehension or the targets of an assignment take what is given."""
    for node in descendants(statement) if statement is not None else ():
        match node:
            case cst.For(iter=walked) | cst.CompFor(iter=walked) if walked is call:
                return True
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() | cst.List())]):
                if node.value is call:
                    return True
    return False


@dataclass(frozen=True, slots=True)
class Rows:
    """Goes through the rows of a tensor."""

    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return True."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Yield the next row, None after the last."""
        # Operators iterate over containers: a real cycle.
        from rewriter.evaluation.containers.subscripts import get_item
        from rewriter.evaluation.operators.comparisons import ordered
        from rewriter.evaluation.operators.operators import binary

        tensor, index = state.cell(Reference(iterator.identity), IteratorCell).items
        size = size_value(frame, node, state, tensor, 0)
        for compared, inside in ordered(frame, node, state, cst.LessThan, index, size):
            for tested, truth in truths(frame, node, compared, inside):
                if not truth:
                    yield tested, None
                    continue
                for taken, row in get_item(frame, node, tested, tensor, index):
                    for counted, following in binary(frame, node, taken, cst.Add, index, Known(1)):
                        cell = IteratorCell((tensor, following), self)
                        frame.run.update(counted, Reference(iterator.identity), cell)
                        yield counted, row
