"""What errors that leave the program say of shapes, of which the host has tuples only.

Nor has it element types and devices: an error of Python's own has its message instead.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst
import torch

from rewriter.builder import literal_expression
from rewriter.class_members import class_member
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import HostValue, Known, ListCell, Reference, ScalarValue, TupleValue, Value

_OF_TORCH = (torch.Size, torch.dtype, torch.device)
_PLAIN = (*_OF_TORCH, bool, int, float, complex, str, bytes, type(None))
_Parts = list[ast.expr]


def known_arguments(error: BaseException) -> list[ast.expr]:
    """Return the expressions of the arguments of an error that was made at compile time."""
    return [literal_expression(each) or ast.Constant(value=str(each)) for each in error.args]


def items_of(state: State, value: Value) -> tuple[Value, ...]:
    """Return the items of a tuple or list, none of all else."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Known) and type(value.value) in (tuple, list):
        return tuple(map(Known, value.value))
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return tuple(cell.items) if isinstance(cell, ListCell) and cell.kind is list else ()


@dataclass(frozen=True, slots=True)
class Message:
    """The message of an error that has shapes in its arguments."""

    frame: Frame
    node: cst.CSTNode
    state: State
    kind: type

    def expression(
        self, arguments: Value, written: Sequence[ast.expr], *, other: bool
    ) -> ast.expr | None:
        """Return the message, given the arguments as they are written; None where it has none.

        Where it shows more than can be written, a note says so. ``other`` is whether the message
        is what the program says.
        """
        if other or not self._is_of_torch(arguments):
            return None
        found = self._of_arguments(arguments, written) if _shows_arguments(self.kind) else None
        if found is None:
            how = f"the message of a {self.kind.__name__} shows shapes as tuples"
            self.frame.run.note(self.frame.origin(self.node), how)
        return found

    def _of_arguments(self, arguments: Value, written: Sequence[ast.expr]) -> ast.expr | None:
        items = items_of(self.state, arguments)
        parts = self._joined("(", items, written, ")")
        if len(items) == 1:
            parts = self._shown(items[0], written[0])
        if parts is None:
            return None
        whole, *others = parts
        for part in others:
            whole = ast.BinOp(left=whole, op=ast.Add(), right=part)
        return whole

    def _is_of_torch(self, value: Value) -> bool:
        if isinstance(value, Known) and isinstance(value.value, _OF_TORCH):
            return True
        is_shape = isinstance(value, TupleValue) and value.kind is torch.Size
        return is_shape or any(map(self._is_of_torch, items_of(self.state, value)))

    def _shown(self, value: Value, written: ast.expr) -> _Parts | None:
        """Return the texts that together are what ``repr`` shows of a value."""
        match value, written:
            case Known(value=content), _ if type(content) in _PLAIN:
                return [ast.Constant(value=repr(content))]
            case TupleValue(kind=torch.Size), ast.Tuple():
                return self._joined("torch.Size([", value.items, written.elts, "])")
            case (TupleValue(kind=kind), ast.Tuple()) if kind is tuple:
                return self._joined("(", value.items, written.elts, ")")
            case Reference() | Known(value=list()), ast.List():
                return self._joined("[", items_of(self.state, value), written.elts, "]")
            case Known(value=tuple()), ast.Tuple():
                return self._joined("(", items_of(self.state, value), written.elts, ")")
            case (ScalarValue(), _) | (HostValue(sample=str()), _):
                text = self.frame.run.builder.reference(repr, "repr")
                return [ast.Call(func=text, args=[written], keywords=[])]
        return None

    def _joined(
        self, first: str, items: Iterable[Value], written: Sequence[ast.expr], last: str
    ) -> _Parts | None:
        parts: _Parts = [ast.Constant(value=first)]
        for place, (item, each) in enumerate(zip(items, written, strict=True)):
            shown = self._shown(item, each)
            if shown is None:
                return None
            parts += [ast.Constant(value=", "), *shown] if place else shown
        end = "," + last if first == "(" and len(written) == 1 else last
        return [*parts, ast.Constant(value=end)]


def _shows_arguments(kind: type) -> bool:
    """Return whether an error's message is the text of its arguments, which no caller looks at."""
    return kind.__module__ == "builtins" and (
        class_member(kind, "__str__") is vars(BaseException)["__str__"]
    )
