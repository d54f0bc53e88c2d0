"""Objects of the types of values, with no meaning: what builtins look at of their arguments."""

import collections
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor

from rewriter.class_members import class_member
from rewriter.evaluation.rendering import NotMaterial
from rewriter.host_types import MappingType, SequenceType, SetType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def errors_of_kinds(
    state: State,
    function: Callable[..., Any],
    positional: Iterable[Value],
    keywords: Mapping[str, Value],
    simplified: Callable[[object], object] = lambda given: given,
) -> list[Exception]:
    """Return what a function raises for stand-ins with several numbers; nothing if one is taken."""
    found: list[Exception] = []
    for number in _NUMBERS:
        try:
            given = [simplified(stand_in(state, value, number)) for value in positional]
            named = {
                name: simplified(stand_in(state, value, number)) for name, value in keywords.items()
            }
        except NotMaterial:
            return []
        try:
            function(*given, **named)
        except Exception as error:
            found.append(error.with_traceback(None))
        else:
            return []
    return found


def are_alike(errors: Iterable[Exception]) -> bool:
    """Return whether no error tells of its number: those of run time are others."""
    return len({str(error) for error in errors}) == 1


_NUMBERS = (1, 0, -1, 99)
"""Of a number that is not in a range another error is told first, or one that tells the number."""


def _nothing(*given: object, **named: object) -> None:
    """Stand in for a function: it is not called."""
    del given, named


PLAIN = (bool, int, float, complex, str, bytes, type(None))
_THEMSELVES = (
    *(*PLAIN, range, slice),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType),
    *(torch.dtype, torch.device, torch.layout, torch.memory_format),
)


def stand_in(state: State, value: Value, number: int = 1) -> object:
    """Return an object of a value's type, with no meaning; containers may be empty ones."""
    match value:
        case Known(value=content):
            return _of_known(content, value)
        case TensorValue():
            return _of_tensor(value.fake, value)
        case ScalarValue(type=kind) if kind in (bool, int, float):
            return kind(number)
        case HostValue(sample=str() as text):
            return text
        case TupleValue(kind=kind) if kind is tuple:
            return tuple(stand_in(state, item, number) for item in value.items)
        case SliceValue():
            parts = (value.start, value.stop, value.step)
            return slice(*(stand_in(state, part, number) for part in parts))
        case Reference():
            return _of_cell(state, value, number)
        case _:
            return _of_lazy(value)


def _of_lazy(value: Value) -> object:
    match value:
        case FunctionValue():
            return _nothing
        case MethodValue(function=str()):
            return [].append
        case MethodValue():
            return types.MethodType(_nothing, ())
        case IteratorValue():
            return iter(())
        case ViewValue():
            return getattr({}, value.part)()
        case RunTimeRange():
            return range(0)
        case _:
            raise NotMaterial("a value of unknown type", value)


_FEW = 64


def _are_plain(content: Iterable[object]) -> bool:
    return all(type(item) in PLAIN for item in content)


def _of_known(content: Any, value: Value) -> object:
    if type(content) in _THEMSELVES:
        return content
    if type(content) is type:
        return object
    if type(content) in (list, tuple) and len(content) <= _FEW and _are_plain(content):
        return type(content)(content)
    if type(content) in (list, tuple, set, frozenset, dict):
        return type(content)()
    if isinstance(content, torch.Tensor):
        return _of_tensor(content, value)
    return _of_class(type(content), value)


_FEW_ELEMENTS = 10_000


def is_small(tensor: torch.Tensor) -> bool:
    """Return whether there is a stand-in of the same sizes."""
    sizes = tensor.shape
    return all(isinstance(size, int) for size in sizes) and tensor.numel() <= _FEW_ELEMENTS


_TENSORS = (torch.Tensor, torch.nn.Parameter, FakeTensor)


def _of_tensor(tensor: torch.Tensor, value: Value) -> object:
    if type(tensor) not in _TENSORS or tensor.layout != torch.strided or tensor.is_quantized:
        raise NotMaterial("a tensor of another class, or one that is not of zeros", value)
    sizes = [size if isinstance(size, int) else None for size in tensor.shape]
    if None in sizes:
        raise NotMaterial("a tensor of unknown size", value)
    small = is_small(tensor)
    whole = [size if small else min(size, 2) for size in sizes if size is not None]
    made = torch.zeros(whole, dtype=tensor.dtype)
    is_parameter = isinstance(tensor, torch.nn.Parameter)
    return torch.nn.Parameter(made, requires_grad=False) if is_parameter else made


def _of_cell(state: State, value: Reference, number: int) -> object:
    match state.heap[value.identity]:
        case ListCell(kind=kind) as cell if kind is list:
            return [stand_in(state, item, number) for item in cell.items]
        case ListCell(kind=kind) if kind in (tuple, collections.deque):
            return kind()
        case DictCell(kind=kind) if kind in (dict, collections.OrderedDict):
            return kind()
        case SetCell():
            return set()
        case RunTimeCell(type=SequenceType() | SetType() | MappingType()) as cell:
            return _empty(cell.kind, value)
        case ObjectCell(kind=kind):
            return _of_class(kind, value)
        case _:
            raise NotMaterial("a container of unknown type", value)


def _empty(kind: type, value: Value) -> object:
    if kind in (list, tuple, set, frozenset, dict, collections.deque, collections.Counter):
        return kind()
    raise NotMaterial("a container of unknown type", value)


_ASKED = ("__call__", "__iter__", "__next__", "__len__", "__getitem__", "__reversed__")
"""Methods that a builtin may look for before it goes on."""
_NUMERIC = (
    *("__index__", "__int__", "__float__", "__complex__"),
    *("__floor__", "__ceil__", "__trunc__", "__format__", "keys"),
)


def _of_class(kind: type, value: Value) -> object:
    if issubclass(kind, _NOT_STOOD_FOR) or any(
        class_member(kind, one) is not class_member(object, one) for one in _NUMERIC
    ):
        raise NotMaterial("an object that may be anything", value)
    if told_name(kind) != kind.__name__:
        raise NotMaterial("an object of a class in C, which errors call by a longer name", value)
    return _stood_for(kind)


def told_name(kind: type) -> str:
    """Return what errors call a class: ``functools.partial``, which has the name ``partial``."""
    try:
        type.__getattribute__(kind, " ")
    except AttributeError as error:
        return str(error).removeprefix("type object '").removesuffix("' has no attribute ' '")
    return ""


_NOT_STOOD_FOR = (
    *(int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset),
    *(collections.deque, memoryview, numpy.ndarray, numpy.generic, torch.Tensor, torch.Size, type),
)


def _stood_for(kind: type) -> object:
    """Return an object that has those methods of a class that builtins look for."""
    members: dict[str, object] = {}
    for name in _ASKED:
        member = class_member(kind, name)
        if member is not None:
            members[name] = _EMPTY.get(name, _nothing)
        elif name in vars(kind):
            members[name] = None
    return type(kind.__name__, (), members)()


_EMPTY: dict[str, Callable[..., object]] = {
    "__iter__": lambda self: iter(()),
    "__reversed__": lambda self: iter(()),
    "__len__": lambda self: 0,
    "__getitem__": lambda self, place: ()[place],
}
