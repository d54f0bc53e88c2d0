"""Operators: arithmetic, comparison, boolean, conditional; on any mix of binding times."""

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.rendering import NotMaterial, known_object, render
from rewriter.evaluation.run import Frame, Outcomes, UsedPoison
from rewriter.evaluation.truth import truths
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

BINARY: dict[type[cst.CSTNode], tuple[type[ast.operator], Callable[[Any, Any], Any], str]] = {
    cst.Add: (ast.Add, operator.add, "add"),
    cst.Subtract: (ast.Sub, operator.sub, "sub"),
    cst.Multiply: (ast.Mult, operator.mul, "mul"),
    cst.Divide: (ast.Div, operator.truediv, "truediv"),
    cst.FloorDivide: (ast.FloorDiv, operator.floordiv, "floordiv"),
    cst.Modulo: (ast.Mod, operator.mod, "mod"),
    cst.Power: (ast.Pow, operator.pow, "pow"),
    cst.MatrixMultiply: (ast.MatMult, operator.matmul, "matmul"),
    cst.LeftShift: (ast.LShift, operator.lshift, "lshift"),
    cst.RightShift: (ast.RShift, operator.rshift, "rshift"),
    cst.BitAnd: (ast.BitAnd, operator.and_, "and"),
    cst.BitOr: (ast.BitOr, operator.or_, "or"),
    cst.BitXor: (ast.BitXor, operator.xor, "xor"),
}
UNARY: dict[type[cst.CSTNode], tuple[type[ast.unaryop], Callable[[Any], Any], str]] = {
    cst.Minus: (ast.USub, operator.neg, "neg"),
    cst.Plus: (ast.UAdd, operator.pos, "pos"),
    cst.BitInvert: (ast.Invert, operator.invert, "invert"),
}
COMPARE: dict[type[cst.CSTNode], tuple[type[ast.cmpop], Callable[[Any, Any], Any], str, str]] = {
    cst.LessThan: (ast.Lt, operator.lt, "lt", "gt"),
    cst.GreaterThan: (ast.Gt, operator.gt, "gt", "lt"),
    cst.LessThanEqual: (ast.LtE, operator.le, "le", "ge"),
    cst.GreaterThanEqual: (ast.GtE, operator.ge, "ge", "le"),
    cst.Equal: (ast.Eq, operator.eq, "eq", "eq"),
    cst.NotEqual: (ast.NotEq, operator.ne, "ne", "ne"),
}
_SAMPLES: dict[type, object] = {int: 2, float: 2.5, bool: True, complex: 1 + 1j}
_MAKING = (operator.add, operator.mul, operator.or_)
"""Operators that make a container holding the very items of their operands."""
_MAY_RAISE = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)


@expression_rule(cst.BinaryOperation)
def binary_operation(frame: Frame, node: cst.BinaryOperation, state: State) -> Outcomes:
    """``left + right``."""
    for after_left, left in evaluate(frame, node.left, state):
        for after_right, right in evaluate(frame, node.right, after_left):
            yield from binary(frame, node, after_right, type(node.operator), left, right)


def binary(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Apply a binary operator to two values."""
    symbol, function, name = BINARY[kind]
    overloaded = _overload(frame, node, state, left, right, f"__{name}__", f"__r{name}__")
    if overloaded is not None:
        return overloaded
    if symbol is ast.Mod and isinstance(left, Known) and isinstance(left.value, str):
        from rewriter.evaluation.strings import percent_format

        return percent_format(frame, node, state, left, right)
    return _apply(
        frame,
        node,
        state,
        (left, right),
        function,
        lambda parts: ast.BinOp(left=parts[0], op=symbol(), right=parts[1]),
        may_raise=issubclass(symbol, _MAY_RAISE),
    )


@expression_rule(cst.UnaryOperation)
def unary_operation(frame: Frame, node: cst.UnaryOperation, state: State) -> Outcomes:
    """``-x``, ``not x``."""
    if isinstance(node.operator, cst.Not):
        for after, value in evaluate(frame, node.expression, state):
            yield from negation(frame, node, after, value)
        return
    symbol, function, name = UNARY[type(node.operator)]
    for after, value in evaluate(frame, node.expression, state):
        overloaded = _overload(frame, node, after, value, None, f"__{name}__", "")
        if overloaded is not None:
            yield from overloaded
            continue
        yield from _apply(
            frame,
            node,
            after,
            (value,),
            function,
            lambda parts: ast.UnaryOp(op=symbol(), operand=parts[0]),
            may_raise=False,
        )


def negation(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """``not value``: a host expression for a run-time number, a branch never needed."""
    if isinstance(value, ScalarValue) and value.name not in state.facts:
        expression = ast.UnaryOp(op=ast.Not(), operand=render(frame.run, state, value))
        yield state, frame.run.host_scalar(state, expression, bool, frame.origin(node))
        return
    for after, truth in truths(frame, node, state, value):
        yield after, Known(not truth)


@expression_rule(cst.BooleanOperation)
def boolean_operation(frame: Frame, node: cst.BooleanOperation, state: State) -> Outcomes:
    """``left and right``, ``left or right``: Python's short circuit, giving an operand."""
    is_and = isinstance(node.operator, cst.And)
    for after_left, left in evaluate(frame, node.left, state):
        for after_test, truth in truths(frame, node.left, after_left, left):
            if truth is is_and:
                yield from evaluate(frame, node.right, after_test)
            else:
                from rewriter.evaluation.truth import known_after

                yield after_test, known_after(after_test, left)


@expression_rule(cst.IfExp)
def conditional(frame: Frame, node: cst.IfExp, state: State) -> Outcomes:
    """``body if test else orelse``."""
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            yield from evaluate(frame, node.body if truth else node.orelse, arm)


@expression_rule(cst.Comparison)
def comparison(frame: Frame, node: cst.Comparison, state: State) -> Outcomes:
    """``a < b < c``: each operand once, later ones only while the earlier tests hold."""
    for after, left in evaluate(frame, node.left, state):
        yield from _comparison_rest(frame, node, after, left, list(node.comparisons))


def _comparison_rest(
    frame: Frame,
    node: cst.Comparison,
    state: State,
    left: Value,
    targets: list[cst.ComparisonTarget],
) -> Outcomes:
    target, *rest = targets
    for after, right in evaluate(frame, target.comparator, state):
        for compared, result in compare(frame, node, after, target.operator, left, right):
            if not rest:
                yield compared, result
                continue
            for tested, truth in truths(frame, node, compared, result):
                if truth:
                    yield from _comparison_rest(frame, node, tested, right, rest)
                else:
                    from rewriter.evaluation.truth import known_after

                    yield tested, known_after(tested, result)


def compare(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    symbol: cst.BaseCompOp,
    left: Value,
    right: Value,
) -> Outcomes:
    """Compare two values by one operator."""
    match symbol:
        case cst.Is() | cst.IsNot() if _are_bools(left, right):
            equality = cst.Equal if isinstance(symbol, cst.Is) else cst.NotEqual
            return ordered(frame, node, state, equality, left, right)
        case cst.Is() | cst.IsNot():
            same = identical(frame, node, state, left, right)
            return iter([(state, Known(same is isinstance(symbol, cst.Is)))])
        case cst.In() | cst.NotIn():
            from rewriter.evaluation.membership import contains

            return contains(frame, node, state, left, right, isinstance(symbol, cst.NotIn))
        case _:
            return ordered(frame, node, state, type(symbol), left, right)


def _are_bools(left: Value, right: Value) -> bool:
    """Return whether both are bools, which are one object each: ``is`` means ``==``."""
    return all(
        (isinstance(value, ScalarValue) and value.type is bool)
        or (isinstance(value, Known) and type(value.value) is bool)
        for value in (left, right)
    )


def ordered(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes:
    """Apply ``<``, ``==`` and the like."""
    symbol, function, name, mirrored = COMPARE[kind]
    overloaded = _overload(frame, node, state, left, right, f"__{name}__", f"__{mirrored}__")
    if overloaded is not None:
        return overloaded
    if isinstance(left, Reference | TupleValue) or isinstance(right, Reference | TupleValue):
        structural = _structural(frame, node, state, kind, left, right)
        if structural is not None:
            return structural
    return _apply(
        frame,
        node,
        state,
        (left, right),
        function,
        lambda parts: ast.Compare(left=parts[0], ops=[symbol()], comparators=[parts[1]]),
        may_raise=False,
    )


def _structural(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    left: Value,
    right: Value,
) -> Outcomes | None:
    """Compare containers with run-time parts element by element (``==`` and ``!=``)."""
    if kind not in (cst.Equal, cst.NotEqual):
        return None
    if known_object(state, left) is not None and known_object(state, right) is not None:
        return None
    from rewriter.evaluation.containers import sequence_items

    left_items, right_items = sequence_items(state, left), sequence_items(state, right)
    if left_items is None or right_items is None:
        return None
    if len(left_items) != len(right_items) or isinstance(left, Reference) is not isinstance(
        right, Reference
    ):
        return iter([(state, Known(kind is cst.NotEqual))])
    return _elementwise(frame, node, state, kind, list(zip(left_items, right_items, strict=True)))


def _elementwise(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[cst.CSTNode],
    pairs: list[tuple[Value, Value]],
) -> Outcomes:
    if not pairs:
        yield state, Known(kind is cst.Equal)
        return
    (left, right), *rest = pairs
    for after, result in ordered(frame, node, state, cst.Equal, left, right):
        for tested, truth in truths(frame, node, after, result):
            if truth:
                yield from _elementwise(frame, node, tested, kind, rest)
            else:
                yield tested, Known(kind is cst.NotEqual)


def identical(frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value) -> bool:
    """Return whether two values are one object; refuse where that depends on the path."""
    match left, right:
        case (Known(), Known()):
            return left.value is right.value or (
                isinstance(left.value, bool | int | str) and left.value == right.value
                and type(left.value) is type(right.value)
            )
        case (TensorValue(), TensorValue()):
            return left.name == right.name
        case (Reference(), Reference()):
            return left.identity == right.identity
        case (Poison(), _) | (_, Poison()):
            raise UsedPoison
        case (ScalarValue(), Known()) | (Known(), ScalarValue()):
            known = right if isinstance(right, Known) else left
            scalar = left if isinstance(left, ScalarValue) else right
            assert isinstance(scalar, ScalarValue)
            if isinstance(known, Known) and (
                scalar.type is None or type(known.value) is scalar.type
            ):
                frame.refuse("DYCL037", node, "`is` between a run-time number and a number")
            return False
        case (FunctionValue(), FunctionValue()):
            return left is right
        case (ScalarValue() | HostValue(), ScalarValue() | HostValue()):
            frame.refuse("DYCL037", node, "`is` between two run-time values")
        case _:
            return False


def _apply(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
    *,
    may_raise: bool,
) -> Outcomes:
    """Apply a Python operator: now, as a tensor operation, or on the host."""
    if any(isinstance(operand, Poison) for operand in operands):
        raise UsedPoison
    knowns = [known_object(state, operand) for operand in operands]
    if any(isinstance(operand, TensorValue) or _is_tensor(operand) for operand in operands):
        yield from _tensor_operator(frame, node, state, operands, function, residual)
    elif function in _MAKING and any(
        isinstance(operand, Reference | TupleValue) for operand in operands
    ):
        from rewriter.evaluation.containers import container_operator

        yield from container_operator(frame, node, state, operands, function)
    elif all(known is not None for known in knowns):
        yield from _known_operator(frame, state, operands, knowns, function)
    elif all(isinstance(operand, Known | ScalarValue | HostValue) for operand in operands):
        yield from _host_operator(frame, node, state, operands, function, residual, may_raise)
    else:
        from rewriter.evaluation.containers import container_operator

        yield from container_operator(frame, node, state, operands, function)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Known) and isinstance(value.value, torch.Tensor)


def _tensor_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
) -> Outcomes:
    from rewriter.evaluation.host_tensors import as_tensor_operands

    operands = as_tensor_operands(frame, node, state, operands)
    try:
        parts = [render(frame.run, state, operand) for operand in operands]
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is used in a tensor operation")
    yield from Operation(
        frame, node, state, function, operands, {}, residual(parts), description="an operator"
    ).evaluate()


def _known_operator(
    frame: Frame,
    state: State,
    operands: tuple[Value, ...],
    knowns: list[Known | None],
    function: Callable[..., Any],
) -> Outcomes:
    from rewriter.evaluation.containers import adopt

    try:
        result = function(*(known.value for known in knowns if known is not None))
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, adopt(frame.run, state, result)


def _host_operator(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    function: Callable[..., Any],
    residual: Callable[[list[ast.expr]], ast.expr],
    may_raise: bool,
) -> Outcomes:
    parts = [render(frame.run, state, operand) for operand in operands]
    sample = try_on_samples(function, operands)
    yield state, host_result(frame, node, state, residual(parts), sample, effect=may_raise)


def try_on_samples(function: Callable[..., Any], operands: tuple[Value, ...]) -> object:
    """Return an object of the type that a host operation gives, None where unknown."""
    if function is operator.pow and not _pow_is_typed(operands):
        return None
    samples = [sample_of(operand) for operand in operands]
    try:
        return function(*samples)
    except Exception:
        return None


def _pow_is_typed(operands: tuple[Value, ...]) -> bool:
    exponent = operands[1]
    base_is_float = isinstance(sample_of(operands[0]), float)
    known = isinstance(exponent, Known) and isinstance(exponent.value, int) and exponent.value >= 0
    return known or (base_is_float and isinstance(exponent, Known) and exponent.value == 2)


def sample_of(value: Value) -> object:
    """Return some object of the value's type."""
    match value:
        case Known():
            return value.value
        case ScalarValue() if value.type in _SAMPLES:
            return _SAMPLES[value.type]
        case ScalarValue() if value.type is not None:
            return value.type(2)
        case HostValue():
            return value.sample
        case _:
            return None


def host_result(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: ast.expr,
    sample: object,
    *,
    effect: bool,
) -> ScalarValue | HostValue | TupleValue:
    """Emit a host statement; its result is typed by a sample of it."""
    origin = frame.origin(node)
    if type(sample) is tuple:
        whole = frame.run.host_value(state, expression, sample, origin, effect=effect)
        return TupleValue(
            tuple(
                host_result(
                    frame,
                    node,
                    state,
                    ast.Subscript(
                        value=render(frame.run, state, whole),
                        slice=ast.Constant(value=index),
                        ctx=ast.Load(),
                    ),
                    part,
                    effect=False,
                )
                for index, part in enumerate(sample)
            )
        )
    if sample is None or isinstance(sample, bool | int | float | complex) or _is_number(sample):
        kind = None if sample is None else type(sample)
        return frame.run.host_scalar(state, expression, kind, origin, effect=effect)
    return frame.run.host_value(state, expression, sample, origin, effect=effect)


def _is_number(sample: object) -> bool:
    import numpy

    return isinstance(sample, numpy.generic)


def _overload(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    left: Value,
    right: Value | None,
    name: str,
    reflected: str,
) -> Outcomes | None:
    """Return the outcomes of a user's operator method, None where no class defines one."""
    from rewriter.evaluation.calls import call_value
    from rewriter.evaluation.objects import class_of, method_of, user_method

    kind = class_of(state, left)
    if kind is not None and user_method(kind, name):
        method = method_of(frame, state, left, kind, name)
        return call_value(frame, node, state, method, [] if right is None else [right], {})
    if right is None or not reflected:
        return None
    kind = class_of(state, right)
    if kind is not None and user_method(kind, reflected):
        method = method_of(frame, state, right, kind, reflected)
        return call_value(frame, node, state, method, [left], {})
    return None


def is_container(state: State, value: Value) -> bool:
    """Return whether a value is a list, dict or tuple with known structure."""
    if isinstance(value, Reference):
        return not isinstance(state.heap[value.identity], ObjectCell)
    return isinstance(value, TupleValue | MethodValue) or (
        isinstance(value, Known) and isinstance(value.value, list | tuple | dict)
    )


def cells(state: State, value: Value) -> Iterator[ListCell | DictCell]:
    """Yield the heap cell of a container, if it has one."""
    if isinstance(value, Reference):
        cell = state.heap[value.identity]
        if isinstance(cell, ListCell | DictCell):
            yield cell
