"""The results of host operations, typed by samples of them."""

import ast
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import libcst as cst
import numpy

from rewriter.evaluation.host.host_statements import host_scalar, host_value
from rewriter.evaluation.rendering import NotMaterial, render
from rewriter.evaluation.run import Frame
from rewriter.host_type_relations import decided, is_plain
from rewriter.host_types import PLAIN, HostType, NumberType, ObjectType, SequenceType, TupleType
from rewriter.schemas import ObjectSample
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, TupleValue, Value

_SAMPLES: dict[type, object] = {int: 2, float: 2.5, bool: True, complex: 1 + 1j}


def try_on_samples(function: Callable[..., Any], operands: tuple[Value, ...]) -> object:
    """Return an object of the type that a host operation gives, None where unknown.

    PLAIN stands for an integer or a float.
    """
    if function is operator.pow and not _pow_is_typed(operands):
        return None
    try:
        results = [function(*samples) for samples in product(*map(_samples_of, operands))]
    except Exception:
        return None
    kinds = {type(result) for result in results}
    if len(kinds) == 1:
        return results[0]
    return PLAIN if all(map(is_plain, kinds)) else None


def _samples_of(value: Value) -> tuple[object, ...]:
    """Return an object for each type that a value may have, as far as that is known."""
    both = isinstance(value, ScalarValue) and value.plain
    return (_SAMPLES[int], _SAMPLES[float]) if both else (sample_of(value),)


def error_of_types(function: Callable[..., Any], operands: tuple[Value, ...]) -> TypeError | None:
    """Return what an operator raises for values of these types, whatever they are, or None."""
    if not all(map(_is_typed, operands)) or (
        function is operator.mod and isinstance(operands[0], HostValue)  # a template
    ):
        return None
    try:
        function(*map(sample_of, operands))
    except TypeError as error:
        return error
    except Exception:
        return None
    return None


def _is_typed(operand: Value) -> bool:
    match operand:
        case ScalarValue():
            return operand.type is not None
        case HostValue():
            return type(operand.sample) is str
        case _:
            return isinstance(operand, Known)


def _pow_is_typed(operands: tuple[Value, ...]) -> bool:
    exponent = operands[1]
    try:
        base_is_float = isinstance(sample_of(operands[0]), float)
    except NotMaterial:
        return False
    known = isinstance(exponent, Known) and isinstance(exponent.value, int) and exponent.value >= 0
    return known or (base_is_float and isinstance(exponent, Known) and exponent.value == 2)


def is_real_power(operands: tuple[Value, ...]) -> bool:
    """Return whether a power of numbers is a float where it is no complex number."""
    base, exponent = map(_number_type, operands)
    if base is None or exponent is None or _pow_is_typed(operands):
        return False
    return float in (base, exponent) or isinstance(operands[1], Known)


def _number_type(value: Value) -> type | None:
    match value:
        case Known():
            kind = type(value.value)
            return kind if kind in (int, float, bool) else None
        case ScalarValue():
            return value.type if value.type in (int, float, bool) else None
        case _:
            return None


def sample_of(value: Value) -> object:
    """Return some object of the value's type."""
    match value:
        case Known():
            return value.value
        case ScalarValue() if value.type in _SAMPLES:
            return _SAMPLES[value.type]
        case ScalarValue() if value.type is numpy.integer:
            raise NotMaterial("one of numpy's integers, of a type that depends on the path", value)
        case ScalarValue() if value.type is not None:
            return value.type(2)
        case HostValue() if isinstance(value.sample, ObjectSample):
            raise NotMaterial(f"an object of class {value.sample.facts.kind.__name__}", value)
        case HostValue():
            return value.sample
        case _:
            return None


def sample_of_type(given: HostType) -> object:
    """Return an object of a type with meaningless content; None where there is none."""
    match decided(given):
        case NumberType() as number if number.kind not in (None, PLAIN, numpy.integer):
            assert number.kind is not None
            return _SAMPLES[number.kind] if number.kind in _SAMPLES else number.kind(2)
        case ObjectType() as thing:
            return thing.sample
        case TupleType() as whole if whole.kind is tuple:
            items = [sample_of_type(item) for item in whole.items]
            return None if None in items else tuple(items)
        case SequenceType() as sequence if sequence.kind in (list, tuple):
            item = sample_of_type(sequence.element)
            return None if item is None else sequence.kind([item, item])
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
    may_raise: bool = True,
) -> ScalarValue | HostValue | TupleValue:
    """Emit a host statement; its result is typed by a sample of it."""
    origin = frame.origin(node)
    if type(sample) is tuple:
        whole = host_value(
            frame.run, state, expression, sample, origin, effect=effect, may_raise=may_raise
        )
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
    if sample is PLAIN:
        return host_scalar(
            frame.run, state, expression, PLAIN, origin, effect=effect, may_raise=may_raise
        )
    if sample is None or isinstance(sample, bool | int | float | complex) or _is_number(sample):
        kind = None if sample is None else type(sample)
        return host_scalar(
            frame.run, state, expression, kind, origin, effect=effect, may_raise=may_raise
        )
    return host_value(
        frame.run, state, expression, sample, origin, effect=effect, may_raise=may_raise
    )


def _is_number(sample: object) -> bool:
    return isinstance(sample, numpy.generic)
