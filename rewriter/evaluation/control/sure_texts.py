"""Expressions that surely give a value and do nothing else, as the texts of errors are made of."""

from dataclasses import dataclass, replace

import libcst as cst

from rewriter.class_members import class_member
from rewriter.descendants import descendants
from rewriter.evaluation.names import lookup
from rewriter.evaluation.run import Frame
from rewriter.plain_objects import looks_up_itself, own_attributes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

_PLAIN = (int, float, bool, str)
_BINDS = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For, cst.WithItem,
          cst.Del)  # fmt: skip
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply)
_ORDERS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal,
           cst.NotEqual)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SureTexts:
    """Tells which expressions surely give a text, a number or a truth, and do nothing else."""

    frame: Frame
    state: State
    unclear: frozenset[str]
    """Variables that the statement may have bound before the error."""
    filled: frozenset[str] = frozenset()
    """Tensors that are known to have elements."""

    def told_by(self, test: cst.BaseExpression) -> "SureTexts | None":
        """Return what is known where a test is true, None where it may do something else."""
        match test:
            case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
                first = self.told_by(left)
                return None if first is None else first.told_by(right)
            case cst.BooleanOperation(left=left, right=right):
                both = self.told_by(left), self.told_by(right)
                return None if None in both else self
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                return None if self.told_by(inner) is None else self
            case cst.Comparison(
                left=left, comparisons=[cst.ComparisonTarget(operator=order, comparator=right)]
            ) if isinstance(order, _ORDERS) and self._is_number(left) and self._is_number(right):
                return self._with_elements(left, order, right)
            case _:
                return None

    def _with_elements(
        self, left: cst.BaseExpression, order: cst.BaseCompOp, right: cst.BaseExpression
    ) -> "SureTexts":
        """Return what ``x.numel() > 0`` tells, too."""
        match left, order, right:
            case (
                cst.Call(func=cst.Attribute(cst.Name(name), cst.Name("numel"))),
                cst.GreaterThan(),
                cst.Integer(value="0"),
            ):
                return replace(self, filled=self.filled | {name})
            case _:
                return self

    def _is_number(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression is surely a number, or a tensor of one element."""
        match node:
            case cst.Integer():
                return True
            case cst.Name(value=name):
                value = self._value(name)
                return isinstance(value, ScalarValue) or type(_known(value)) in (int, float, bool)
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                parts = (left, right)
                return isinstance(operator, _ARITHMETIC) and all(map(self._is_number, parts))
            case cst.Call(func=cst.Attribute(value=of, attr=cst.Name(value=asked)), args=given):
                return self._is_number_of(of, asked, [each.value for each in given])
            case _:
                return False

    def _is_number_of(
        self, of: cst.BaseExpression, asked: str, given: list[cst.BaseExpression]
    ) -> bool:
        """Return whether a method is one of a tensor's that surely gives a number."""
        if asked == "item" and not given:
            return isinstance(of, cst.Call) and self._is_number(of)
        value = self._value(of.value) if isinstance(of, cst.Name) else None
        if not isinstance(value, TensorValue) or value.fake.is_complex():
            return False
        if asked == "size":
            return len(given) == 1 and self._is_dimension(given[0], value.fake.dim())
        if given or asked not in ("numel", "dim", "min", "max"):
            return False
        assert isinstance(of, cst.Name)
        return asked in ("numel", "dim") or of.value in self.filled

    def _is_dimension(self, node: cst.BaseExpression, rank: int) -> bool:
        """Return whether an expression is a known dimension of a tensor."""
        place = self._known_number(node)
        return type(place) is int and -rank <= place < rank

    def _known_number(self, node: cst.BaseExpression) -> object:
        match node:
            case cst.Integer():
                return node.evaluated_value
            case cst.Name(value=name):
                return _known(self._value(name))
            case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=asked)):
                holder = self._value(name)
                return _plain_of(holder, asked) if isinstance(holder, Known) else None
            case _:
                return None

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
        if self._is_number(node):
            return True
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


def _known(value: Value | None) -> object:
    return value.value if isinstance(value, Known) else None


def _has_plain(value: Value | None, asked: str) -> bool:
    if isinstance(value, TensorValue):
        return asked in ("shape", "dtype", "device", "ndim")
    return isinstance(value, Known) and type(_plain_of(value, asked)) in _PLAIN


def _plain_of(value: Known, asked: str) -> object:
    """Return an attribute that an object itself has, None where its class may look it up."""
    if looks_up_itself(type(value.value)) or class_member(type(value.value), asked) is not None:
        return None
    return dict(own_attributes(value.value)).get(asked)


def bound_in(body: cst.CSTNode) -> frozenset[str]:
    """Return the names that may be bound, or unbound, by statements."""
    places = (
        each.asname if isinstance(each, cst.WithItem) else each.target
        for each in descendants(body)
        if isinstance(each, _BINDS)
    )
    inner = (each for place in places if place is not None for each in descendants(place))
    return frozenset(each.value for each in inner if isinstance(each, cst.Name))
