"""Tensors of one number where an operation of torch takes a number: ``torch.arange(n)``."""

from functools import cache

import libcst as cst
import torch

from rewriter.evaluation.host.numpy_numbers import is_numpy_integer, plain_integer
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, TensorValue, TupleValue, Value

_WHAT = "number"

_INTEGERS = frozenset({"int", "Optional[int]", "List[int]", "Optional[List[int]]", "number"})
"""Types of parameters for which PyTorch reads the number in a tensor."""

_NUMBERS = frozenset({"number", "Optional[number]"})
"""Types of parameters for which that may be an integer or not."""

_INTEGER_OR_TENSOR = frozenset({("narrow", "start")})
"""Parameters with an overload of their own for a tensor, which reads the number in it."""

_Parameter = tuple[str, str, bool]


def with_integers(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    values: list[Value],
    keywords: dict[str, Value],
) -> tuple[list[Value], dict[str, Value]]:
    """Return arguments with numbers in place of tensors, where all overloads take integers.

    ``values`` are the positional arguments of the operation, a method's receiver first.
    """
    held = [*values, *keywords.values()]
    parts = [part for value in held for part in _parts(state, value)]
    if not any(_is_integer(part) or _is_fraction(part) for part in parts):
        return values, keywords

    def taken(place: int | str, value: Value) -> Value:
        if _takes_integers(name, place):
            value = _number(frame, node, state, value)
        if _is_fraction(value) and _takes_numbers(name, place):
            return _held(frame, node, state, value)
        return value

    return (
        [taken(place, value) for place, value in enumerate(values)],
        {key: taken(key, value) for key, value in keywords.items()},
    )


def _parts(state: State, value: Value) -> tuple[Value, ...]:
    match value:
        case TupleValue():
            return value.items
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            return cell.items
        case _:
            return (value,)


def _is_integer(value: Value) -> bool:
    return is_numpy_integer(value) or _is_integer_tensor(value)


def _is_integer_tensor(value: Value) -> bool:
    tensor = tensor_of(value)
    return (
        tensor is not None
        and tensor.dim() == 0
        and tensor.dtype is not torch.bool
        and not tensor.dtype.is_floating_point
        and not tensor.dtype.is_complex
    )


def _is_fraction(value: Value) -> bool:
    tensor = tensor_of(value)
    return tensor is not None and tensor.dim() == 0 and tensor.dtype.is_floating_point


def _held(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return the number that a tensor holds: one that was read before is the same size."""
    if isinstance(value, Known):
        assert isinstance(value.value, torch.Tensor)
        return Known(value.value.item())
    assert isinstance(value, TensorValue)
    name, builder = state.current(value).name, frame.run.builder
    number = state.remembered(name, _WHAT, builder)
    if number is None:
        ((_, number),) = item_of(frame, node, state, value)
        state.remember(name, _WHAT, builder, number)
    return number


def _number(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    if is_numpy_integer(value):
        return plain_integer(frame, node, state, value)
    if _is_integer_tensor(value):
        return _held(frame, node, state, value)
    parts = _parts(state, value)
    if parts == (value,) or not any(map(_is_integer, parts)):
        return value
    return TupleValue(tuple(_number(frame, node, state, part) for part in parts))


@cache
def _takes_integers(name: str, place: int | str) -> bool:
    """Return whether every overload of an operation that has a parameter takes an integer there."""
    if any((name, known) in _INTEGER_OR_TENSOR for known in names_at(name, place)):
        return True
    found = {kind for overload in _overloads(name) if (kind := _type_at(overload, place))}
    return bool(found) and found <= _INTEGERS


@cache
def _takes_numbers(name: str, place: int | str) -> bool:
    """Return whether every overload of an operation that has a parameter takes a number there."""
    found = {kind for overload in _overloads(name) if (kind := _type_at(overload, place))}
    return bool(found) and found <= _NUMBERS


@cache
def names_at(name: str, place: int | str) -> frozenset[str]:
    """Return what the overloads of an operation call a parameter."""
    if isinstance(place, str):
        return frozenset({place}) if _overloads(name) else frozenset()
    found = ([n for n, _, keyword_only in each if not keyword_only] for each in _overloads(name))
    return frozenset(names[place] for names in found if place < len(names))


def _type_at(overload: list[_Parameter], place: int | str) -> str | None:
    if isinstance(place, str):
        return next((kind for name, kind, _ in overload if name == place), None)
    positional = [kind for _, kind, keyword_only in overload if not keyword_only]
    if place < len(positional):
        return positional[place]
    sizes = positional and positional[-1] == "List[int]"
    return positional[-1] if sizes else None  # x.repeat(2, 3)


@cache
def _overloads(name: str) -> list[list[_Parameter]]:
    """Return the parameters of an operation of torch by that name: name, type, keyword only."""
    packet = getattr(torch.ops.aten, name, None) if name.isidentifier() else None
    overloads = [] if packet is None else packet.overloads()
    schemas = [getattr(packet, overload)._schema for overload in overloads]
    found = [
        [(a.name, str(a.type), a.kwarg_only) for a in schema.arguments]
        for schema in schemas
        if not any(argument.is_out for argument in schema.arguments)
    ]
    made = [overload for overload in found if not overload or _is_of_tensors(overload)]
    return made


def _is_of_tensors(overload: list[_Parameter]) -> bool:
    """Return whether this is no operation of TorchScript's own lists, strings and numbers."""
    first = overload[0]
    return first[1].startswith(("Tensor", "List[Tensor]")) or any(
        name in ("dtype", "layout", "device") for name, _, _ in overload
    )
