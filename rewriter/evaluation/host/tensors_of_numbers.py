"""``torch.tensor([n])`` and the like, over numbers that the host knows at run time."""

import ast
import functools

import libcst as cst
import numpy
import torch

from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_types import PLAIN
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    ScalarValue,
    TupleValue,
    Value,
)

_NUMBERS = (bool, int, float)
_OF_NUMPY: dict[type, torch.dtype] = {
    numpy.bool_: torch.bool,
    numpy.uint8: torch.uint8,
    numpy.int8: torch.int8,
    numpy.int16: torch.int16,
    numpy.int32: torch.int32,
    numpy.int64: torch.int64,
    numpy.float32: torch.float32,
    numpy.float64: torch.float64,
}
"""Numbers of numpy, and the element type of a tensor that is made of one."""


def host_made_tensor(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Evaluate ``torch.tensor([n])`` and the like over run-time numbers; None for other calls."""
    if function.value not in (torch.tensor, torch.as_tensor, torch.from_numpy):
        return None
    data = positional[0] if positional else keywords.get("data")
    if data is None or not _has_scalar(state, data):
        return None
    found = _nest(state, data)
    if found is None:
        frame.refuse("DYCL030", node, "this nest of run-time values cannot become a tensor")
    shape, types = found
    asked = asked_dtype(frame, node, positional, keywords)
    if not _OF_NUMPY.keys().isdisjoint(types) and not _takes_numpy(types, asked):
        frame.refuse("DYCL030", node, "a tensor of this type is made of numbers of numpy")
    expression = render(frame.run, state, data)
    if PLAIN in types and asked is None and float not in types:
        # Tests of truth may make tensors themselves: a real cycle.
        from rewriter.evaluation.host.plain_numbers import tensor_by_floats

        return tensor_by_floats(frame, node, state, data, expression, shape)
    made = asked or _inferred(types)
    if (
        made.is_floating_point
        and isinstance(data, ScalarValue)
        and (data.plain or issubclass(data.type or bool, numpy.integer | int))
    ):
        # an integer of any size may be made a tensor, one of 64 bits be computed with
        expression = ast.Call(ast.Name("float", ast.Load()), [expression], [])
    types = {float if kind is PLAIN else _python_kind(kind) for kind in types}
    return iter([(state, tensor_from_host(frame, node, state, expression, made, shape, types))])


def with_grad_left_out(function: object, keywords: dict[str, Value]) -> dict[str, Value]:
    """Leave out of a call of ``torch.tensor`` what it asks for in any case: no gradient."""
    asked = keywords.get("requires_grad")
    if function is not torch.tensor or not isinstance(asked, Known) or asked.value is not False:
        return keywords
    return {name: value for name, value in keywords.items() if name != "requires_grad"}


def asked_dtype(
    frame: Frame, node: cst.CSTNode, positional: list[Value], keywords: dict[str, Value]
) -> torch.dtype | None:
    """Return the element type that a call of ``torch.tensor`` names, None where it names none."""
    given = keywords.get("dtype") or (positional[1] if len(positional) > 1 else Known(None))
    dtype = given.value if isinstance(given, Known) else given
    if not isinstance(dtype, torch.dtype | None) or set(keywords) - {"dtype", "device", "data"}:
        frame.refuse("DYCL030", node, "this way of making a tensor of run-time numbers")
    return dtype


def _has_scalar(state: State, value: Value) -> bool:
    match value:
        case ScalarValue():
            return True
        case TupleValue():
            return any(_has_scalar(state, item) for item in value.items)
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            return any(_has_scalar(state, item) for item in cell.items)
        case _:
            return False


def _nest(state: State, value: Value) -> tuple[tuple[int, ...], set[type]] | None:
    """Return shape and number types of a rectangular nest of numbers, None for any other."""
    match value:
        case ScalarValue(plain=True):
            return (), {PLAIN}
        case ScalarValue() if value.type in _NUMBERS or value.type in _OF_NUMPY:
            return (), {value.type}
        case Known() if type(value.value) in _NUMBERS or type(value.value) in _OF_NUMPY:
            return (), {type(value.value)}
        case TupleValue():
            items = value.items
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            items = cell.items
        case Known() if isinstance(value.value, list | tuple):
            items = tuple(map(Known, value.value))
        case _:
            return None
    parts = [_nest(state, item) for item in items]
    if any(part is None for part in parts) or len({part[0] for part in parts if part}) > 1:
        return None
    inner = parts[0][0] if parts and parts[0] else ()
    return (len(items), *inner), {kind for part in parts if part for kind in part[1]}


def _takes_numpy(types: set[type], asked: torch.dtype | None) -> bool:
    """Return whether PyTorch takes numbers of which some are numpy's as it takes Python's."""
    fractions = any(issubclass(kind, float | numpy.floating) for kind in types)
    holds = asked in (None, torch.float32, torch.float64)
    return PLAIN not in types and (holds or (asked is torch.int64 and not fractions))


def _python_kind(kind: type) -> type:
    if kind in _NUMBERS:
        return kind
    return bool if kind is numpy.bool_ else int if issubclass(kind, numpy.integer) else float


def _inferred(types: set[type]) -> torch.dtype:
    fraction = torch.get_default_dtype()
    plain = {bool: torch.bool, int: torch.int64, PLAIN: torch.int64, float: fraction}
    return functools.reduce(torch.promote_types, [(plain | _OF_NUMPY)[kind] for kind in types])
