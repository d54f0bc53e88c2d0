"""Sizes as run-time integers of the host, and integers of the host as sizes."""

import ast
import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import libcst as cst
import sympy
import torch

from rewriter.evaluation.rendering import render, tensor_of
from rewriter.evaluation.run import Frame, Run
from rewriter.program import HostStatement, ScalarSpec
from rewriter.size_expressions import Size, expression_of, key_of
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

_EXACT: tuple[Callable[..., Any], ...] = (operator.add, operator.sub, operator.mul, operator.neg)
_BY_POSITIVE: tuple[Callable[..., Any], ...] = (operator.floordiv, operator.mod)


def size_value(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, dimension: int
) -> Known | ScalarValue:
    """Return ``tensor.shape[dimension]``."""
    tensor = tensor_of(value)
    assert tensor is not None
    size = tensor.shape[dimension]
    key = key_of(size)
    if isinstance(key, int):
        return Known(key)
    assert isinstance(size, torch.SymInt)
    if key in state.sizes:
        return state.sizes[key]
    number = emit_size(frame, node, state, _shape_item(frame.run, state, value, dimension), size)
    state.sizes[key] = number
    return number


def give_sizes(frame: Frame, node: cst.CSTNode, state: State, values: Iterable[Value]) -> None:
    """Let the host have the open sizes of tensors, whoever asks for them later."""
    for value in values:
        if isinstance(value, TensorValue):
            for dimension in range(value.fake.dim()):
                size_value(frame, node, state, value, dimension)


def _shape_item(run: Run, state: State, value: Value, dimension: int) -> ast.expr:
    shape = ast.Attribute(value=render(run, state, value), attr="shape", ctx=ast.Load())
    return ast.Subscript(value=shape, slice=ast.Constant(value=dimension), ctx=ast.Load())


def emit_size(
    frame: Frame, node: cst.CSTNode, state: State, expression: ast.expr, size: torch.SymInt
) -> ScalarValue:
    """Emit a host statement that computes a size: no effect, so that calls may fold over it."""
    spec = int_spec(frame.run, size)
    if spec.minimum is None:  # the symbol may be a number's, which need be no size elsewhere
        sizes = frame.run.sizes
        sizes.facts = state.size_facts
        least = 0 if sizes.decide(sympy.Ge(size.node.expr, 0)) else None
        spec = replace(spec, minimum=least)
    name = frame.run.builder.variable("_size", spec)
    frame.run.builder.emit(
        state.block,
        HostStatement(target=name, expression=expression, origin=frame.origin(node)),
    )
    frame.run.effects += 1
    return ScalarValue(name, int, size)


def int_spec(run: Run, size: torch.SymInt) -> ScalarSpec:
    """Return the spec of an integer that equals a size."""
    low, high = run.sizes.bounds_of(size.node.expr)
    text = run.sizes.text_of(size.node.expr)
    return ScalarSpec(type=int, minimum=low, maximum=high, size=text)


def sized(run: Run, number: ScalarValue, size: torch.SymInt) -> ScalarValue:
    """Return an integer of the host that is known to equal a size."""
    run.builder.respecify(number.name, int_spec(run, size))
    return ScalarValue(number.name, int, size)


def size_of(run: Run, value: Value) -> Size | None:
    """Return the size that an integer is, with a symbol of its own where it has none yet."""
    match value:
        case Known() if type(value.value) is int:
            return int(value.value)
        case ScalarValue() if value.type is int:
            return value.size if value.size is not None else run.symbol_of(value.name)
        case _:
            return None


def computed_size(
    run: Run, state: State, function: Callable[..., Any], operands: tuple[Value, ...]
) -> Size | None:
    """Return the size that an operator gives on a path, None where it is no exact expression."""
    sizes = [size_of(run, operand) for operand in operands]
    if None in sizes:
        return None
    if function not in _EXACT and not (
        function in _BY_POSITIVE and _is_positive(run, state, sizes[-1])
    ):
        return None
    result = function(*sizes)
    key = key_of(result)
    if function in _BY_POSITIVE and not isinstance(key, int):
        run.sizes.facts = state.size_facts
        reduced = run.sizes.reduced(key)
        key = int(reduced) if reduced.is_Integer else key
    return key if isinstance(key, int) else run.sizes.made_of(key)


def _is_positive(run: Run, state: State, size: Size | None) -> bool:
    if size is None or isinstance(size, int):
        return size is not None and size > 0
    run.sizes.facts = state.size_facts
    return run.sizes.decide(sympy.Gt(expression_of(size), 0)) is True
