"""Operator methods of the user's classes, in Python's order: ``__add__``, ``__radd__``."""

import functools
import types
from collections.abc import Callable

import libcst as cst
import numpy

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.operators.boolean_operators import negation
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value

_COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})

_Method = Callable[[State], Outcomes]


def with_methods(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    operands: tuple[Value, ...],
    name: str,
    reflected: str,
    without: Callable[[State], Outcomes],
) -> Outcomes:
    """Apply an operator by the methods of the user's classes.

    ``without`` applies it where they define none, or theirs are not implemented for these operands.
    """
    methods = [_method(frame, node, state, operands, name)]
    if len(operands) == 2 and not (name == "__mod__" and _is_text(operands[0])):
        methods.append(_method(frame, node, state, operands[::-1], reflected))
        if methods[1] is not None and _is_of_numpy(operands[0]):
            frame.refuse("DYCL038", node, f"{name} of numpy asks an object of the program")
        methods = _in_order(state, operands, name, reflected, methods)
    found = [method for method in methods if method is not None]
    return _first_implemented(state, found, without) if found else without(state)


def _is_text(operand: Value) -> bool:
    """Return whether ``%`` formats: a text asks no operand for its ``__rmod__``."""
    return type(_content(operand)) in (str, bytes)


def _is_of_numpy(operand: Value) -> bool:
    """Return whether Python's numbers of an array or number of numpy meet the other operand."""
    kind = operand.type if isinstance(operand, ScalarValue) else type(_content(operand))
    return kind is not None and issubclass(kind, numpy.ndarray | numpy.generic)


def _content(operand: Value) -> object:
    """Return the object itself, or a sample of it."""
    return operand.value if isinstance(operand, Known) else getattr(operand, "sample", None)


def _first_implemented(state: State, methods: list[_Method], without: _Method) -> Outcomes:
    if not methods:
        yield from without(state)
        return
    first, *rest = methods
    for after, result in first(state):
        if isinstance(result, Known) and result.value is NotImplemented:
            yield from _first_implemented(after, rest, without)
        else:
            yield after, result


def _in_order(
    state: State,
    operands: tuple[Value, ...],
    name: str,
    reflected: str,
    methods: list[_Method | None],
) -> list[_Method | None]:
    """Return the methods of the left and the right operand in the order in which Python asks."""
    left, right = (class_of(state, operand) for operand in operands)
    if left is None or right is None:
        return methods
    compares = name in _COMPARISONS
    if left is right and not compares:
        return methods[:1]
    inherits = getattr(left, reflected, None) is getattr(right, reflected, None)
    if left is not right and issubclass(right, left) and (compares or not inherits):
        return methods[::-1]
    return methods


def _method(
    frame: Frame, node: cst.CSTNode, state: State, operands: tuple[Value, ...], name: str
) -> _Method | None:
    """Return what the class of the first operand says of the operator, if it says anything."""
    receiver, *rest = operands
    kind = class_of(state, receiver)
    if kind is None:
        return None
    method = method_of(state, receiver, name)
    if method is not None:
        return lambda after: call_value(frame, node, after, method, rest, {})
    declared = class_member(kind, name)
    if isinstance(declared, types.FunctionType) and declared.__module__ == functools.__name__:
        return lambda after: inline_function(frame, node, after, declared, [*operands], {})
    equal = method_of(state, receiver, "__eq__")
    if name == "__ne__" and equal is not None and declared is object.__ne__:
        return lambda after: _unequal(frame, node, call_value(frame, node, after, equal, rest, {}))
    return None


def _unequal(frame: Frame, node: cst.CSTNode, equal: Outcomes) -> Outcomes:
    """Return the opposite of what ``__eq__`` gives, as a class without ``__ne__`` does."""
    for after, result in equal:
        if isinstance(result, Known) and result.value is NotImplemented:
            yield after, result
        else:
            yield from negation(frame, node, after, result)
