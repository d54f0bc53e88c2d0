"""Clauses of ``try`` statements that end no error: what they catch goes on as its like."""

import functools
from dataclasses import dataclass

import libcst as cst

from rewriter.class_members import class_member
from rewriter.descendants import descendants
from rewriter.evaluation.names import lookup
from rewriter.evaluation.run import Frame
from rewriter.plain_objects import looks_up_itself, own_attributes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

Kinds = tuple[type[BaseException], ...]
OF_TENSORS = (RuntimeError, IndexError)
"""What operations of PyTorch raise because of the content of tensors."""
_PLAIN = (int, float, bool, str)
_BINDS = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.WithItem,
          cst.Del)  # fmt: skip


def ending(frame: Frame, state: State, node: cst.Try, caught: list[Kinds]) -> list[Kinds]:
    """Return those of what is caught that another error, or none, may come of.

    After the clauses may come what ``finally`` ends.
    """
    count = len(node.handlers)
    pairs = zip(node.handlers, caught[:count], strict=True)
    told = _Told(frame, state, _bound_in(node.body))
    return [kinds for one, kinds in pairs if not _passes_on(one, kinds, told)] + caught[count:]


def _passes_on(handler: cst.ExceptHandler, kinds: Kinds, told: "_Told") -> bool:
    """Return whether a clause only raises what it catches, or an error of the very class."""
    raised = _only_raise(handler)
    if raised is None:
        return False
    if raised.exc is None:
        return True
    if len(kinds) != 1 or kinds[0] not in OF_TENSORS or not _is_caught(handler, raised.cause):
        return False
    return _is_of_class(handler, raised.exc, told)


@functools.lru_cache(maxsize=1024)
def _only_raise(handler: cst.ExceptHandler) -> cst.Raise | None:
    """Return the ``raise`` that is all of a clause."""
    match handler.body:
        case cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Raise() as only])]):
            return only
        case cst.SimpleStatementSuite(body=[cst.Raise() as only]):
            return only
        case _:
            return None


def _is_caught(handler: cst.ExceptHandler, cause: cst.From | None) -> bool:
    """Return whether an error is raised from none, or from the one that is caught."""
    own = handler.name.name if handler.name is not None else None
    match cause:
        case None | cst.From(item=cst.Name(value="None")):
            return True
        case cst.From(item=cst.Name() as name):
            return isinstance(own, cst.Name) and own.value == name.value
        case _:
            return False


def _is_of_class(handler: cst.ExceptHandler, exception: cst.BaseExpression, told: "_Told") -> bool:
    """Return whether an expression only makes an error of the class that the clause names."""
    kind = handler.type
    if kind is None or not isinstance(exception, cst.Call) or not kind.deep_equals(exception.func):
        return False
    return all(
        one.keyword is None and not one.star and told.is_text(one.value) for one in exception.args
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """Tells which expressions surely give a text, or a part of one, and do nothing else."""

    frame: Frame
    state: State
    unclear: frozenset[str]
    """Variables that the statement may have bound before the error."""

    def is_text(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression is a literal or a text with plain values in it."""
        match node:
            case cst.SimpleString():
                return True
            case cst.ConcatenatedString(left=left, right=right):
                return self.is_text(left) and self.is_text(right)
            case cst.FormattedString(parts=parts):
                return all(
                    isinstance(part, cst.FormattedStringText)
                    or (part.format_spec is None and self._is_plain(part.expression))
                    for part in parts
                    if isinstance(part, cst.FormattedStringText | cst.FormattedStringExpression)
                )
            case _:
                return False

    def _is_plain(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression surely has a value that is a text, or becomes one."""
        match node:
            case cst.Name(value=name):
                return _is_number_or_text(self._value(name))
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=asked)):
                return _has_plain(self._value(name), asked)
            case cst.Subscript(
                value=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="shape")),
                slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=place)))],
            ):
                value = self._value(name)
                return isinstance(value, TensorValue) and int(place, 0) < value.fake.dim()
            case _:
                return False

    def _value(self, name: str) -> Value | None:
        return None if name in self.unclear else lookup(self.frame, self.state, name)


def _is_number_or_text(value: Value | None) -> bool:
    """Return whether a value is a number or a text."""
    return isinstance(value, ScalarValue) or (
        isinstance(value, Known) and type(value.value) in _PLAIN
    )


def _has_plain(value: Value | None, asked: str) -> bool:
    if isinstance(value, TensorValue):
        return asked in ("shape", "dtype", "device", "ndim")
    if not isinstance(value, Known) or looks_up_itself(type(value.value)):
        return False
    of_class = class_member(type(value.value), asked)
    own = dict(own_attributes(value.value)).get(asked, value)
    return of_class is None and type(own) in _PLAIN


def _bound_in(body: cst.CSTNode) -> frozenset[str]:
    """Return the names that may be bound, or unbound, by statements."""
    places = (
        each.asname if isinstance(each, cst.WithItem) else each.target
        for each in descendants(body)
        if isinstance(each, _BINDS)
    )
    inner = (each for place in places if place is not None for each in descendants(place))
    return frozenset(each.value for each in inner if isinstance(each, cst.Name))
