"""Python's order of evaluation: what runs before a name is read."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto


class _Seen(Enum):
    """What was met so far on the way to the name."""

    NOTHING = auto()
    """Only what has no effect and no order: names, constants, displays of them."""
    NAME = auto()
    """The name itself, before anything else ran."""
    WORK = auto()
    """Something ran, or may run under a condition only."""


def is_evaluated_first(name: str, expressions: Sequence[ast.expr], *, after_effect: bool) -> bool:
    """Return whether a name is read, surely and once, before anything else is computed.

    ``after_effect`` says that what will stand in place of the name changes objects; then
    not even an attribute may be read before it.
    """
    return _Scan(name, after_effect).all(expressions, after=_Seen.WORK) is _Seen.NAME


@dataclass(frozen=True, slots=True)
class _Scan:
    name: str
    after_effect: bool

    def all(self, nodes: Iterable[ast.expr | None], after: _Seen) -> _Seen:
        """Scan parts in order; ``after`` is what follows when all of them are harmless."""
        for node in nodes:
            seen = _Seen.NOTHING if node is None else self.one(node)
            if seen is not _Seen.NOTHING:
                return seen
        return after

    def one(self, node: ast.expr) -> _Seen:
        """Scan one expression."""
        match node:
            case ast.Name(id=name):
                return _Seen.NAME if name == self.name else _Seen.NOTHING
            case ast.Constant():
                return _Seen.NOTHING
            case ast.Attribute(value=value):
                return self.all([value], after=self._attribute())
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return self.all(parts, after=_Seen.NOTHING)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return self.all([part for pair in pairs for part in pair], after=_Seen.WORK)
            case ast.Slice():
                return self.all([node.lower, node.upper, node.step], after=_Seen.NOTHING)
            case _:
                return self._operation(node)

    def _operation(self, node: ast.expr) -> _Seen:
        """Scan what computes something once its parts are there."""
        match node:
            case ast.Call(func=func, args=args, keywords=keywords):
                parts = [func, *args, *(keyword.value for keyword in keywords)]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.UnaryOp(operand=operand):
                parts = [operand]
            case ast.Subscript(value=value, slice=index):
                parts = [value, index]
            case ast.Starred(value=value):
                parts = [value]
            case ast.Compare(left=left, comparators=[first, *_]):
                parts = [left, first]
            case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
                parts = [first]
            case _:
                parts = []
        return self.all(parts, after=_Seen.WORK)

    def _attribute(self) -> _Seen:
        return _Seen.WORK if self.after_effect else _Seen.NOTHING
