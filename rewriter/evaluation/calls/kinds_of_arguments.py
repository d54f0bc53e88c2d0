"""What Python raises where a builtin is given arguments of kinds that it does not take.

Python itself is asked: it gets stand-ins, objects of the same types. That is done where types alone
decide, and where the rules of the evaluator would find it later than Python, or not at all.
"""

import bisect
import collections
import functools
import heapq
import itertools
import math
import operator
import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensor

from rewriter.class_members import class_member
from rewriter.evaluation.calls.misfits import misfit_of_library
from rewriter.evaluation.rendering import NotMaterial
from rewriter.host_types import MappingType, SequenceType, SetType
from rewriter.state import State
from rewriter.values import (
    NONE,
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
    is_none,
)

_BUILTIN = types.BuiltinFunctionType
_JUDGED: frozenset[object] = frozenset(
    {
        *(iter, range, reversed, zip, map, filter, enumerate),
        *(functools.partial, operator.attrgetter, operator.methodcaller),
        *(itertools.accumulate, itertools.chain.from_iterable, itertools.compress),
        *(itertools.count, itertools.cycle, itertools.dropwhile, itertools.filterfalse),
        *(itertools.groupby, itertools.islice, itertools.pairwise, itertools.repeat),
        *(itertools.starmap, itertools.takewhile, itertools.tee, itertools.zip_longest),
        *(itertools.product, itertools.permutations, itertools.combinations),
        *(itertools.combinations_with_replacement, collections.defaultdict, collections.deque),
        *(heapq.heapify, heapq.heappop, heapq.heappush, heapq.heappushpop, heapq.heapreplace),
        *(function for function in vars(math).values() if isinstance(function, _BUILTIN)),
        *(format, operator.concat),
        *(bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right),
    }
)
"""What looks at the kinds of its arguments when it is called, and calls nothing of the user's."""


def misfit_of_call(
    state: State,
    function: Callable[..., Any],
    positional: list[Value],
    keywords: Mapping[str, Value],
) -> TypeError | None:
    """Return what Python raises for a call of such arguments, None where it may go on."""
    error = misfit_of_library(function, positional, keywords)
    if error is not None or not isinstance(function, Hashable):
        return error
    if function in _COMPARING and is_none(keywords.get("key", NONE)):
        return _raised(state, function, positional, keywords, _plain_only)
    if function not in _JUDGED:
        return None
    return _raised(state, function, positional, keywords, _emptied)


_COMPARING: frozenset[object] = frozenset({min, max, sorted, sum})
"""What compares or adds items: types alone decide that where these are numbers, texts and None."""


def _plain_only(given: object) -> object:
    items = given if isinstance(given, list | tuple | set | frozenset) else (given,)
    if not all(type(item) in _PLAIN or isinstance(item, type) for item in items):
        raise NotMaterial("an object whose comparison says more than its type", NONE)
    return given


def _emptied(given: object) -> object:
    """Return a list without its items: how these compare depends on what they are."""
    return [] if isinstance(given, list) else given


def misfit_of_text(
    state: State, receiver: Value, name: str, positional: list[Value], keywords: Mapping[str, Value]
) -> TypeError | None:
    """Return what Python raises for a call of a method of a string."""
    text = receiver.sample if isinstance(receiver, HostValue) else getattr(receiver, "value", None)
    method = getattr(str, name, None)
    if type(text) is not str or method is None or name in _SHOWING:
        return None
    return _raised(state, method, [Known("a"), *positional], keywords)


def misfit_of_index(state: State, sequence: object, index: Value) -> TypeError | None:
    """Return what Python raises for an index, or a slice, of such a sequence that is run-time."""
    return _raised(state, operator.getitem, [Known(sequence), index], {})


def misfit_of_member(state: State, text: str, item: Value) -> TypeError | None:
    """Return what Python raises where an item of such a kind is looked for in a string."""
    return _raised(state, operator.contains, [Known(text), item], {})


_SHOWING = ("format", "format_map", "__format__", "__mod__")
"""Methods that ask arguments for their texts, as the text itself says."""


def _raised(
    state: State,
    function: Callable[..., Any],
    positional: Iterable[Value],
    keywords: Mapping[str, Value],
    simplified: Callable[[object], object] = lambda given: given,
) -> TypeError | None:
    """Return the TypeError that a function raises for stand-ins, whatever the numbers are."""
    found: list[TypeError] = []
    for number in _NUMBERS:
        try:
            given = [simplified(stand_in(state, value, number)) for value in positional]
            named = {
                name: simplified(stand_in(state, value, number)) for name, value in keywords.items()
            }
        except NotMaterial:
            return None
        try:
            function(*given, **named)
        except TypeError as error:
            found.append(error.with_traceback(None))
        except Exception:  # that depends on the values
            return None
        if not found:
            return None
    # of iterators nobody knows here what Python calls them
    return None if "_iterator'" in str(found[0]) else found[0]


_NUMBERS = (1, 0, -1)
"""Of a number that is not in a range another error is told first."""


def _nothing(*given: object, **named: object) -> None:
    """Stand in for a function: it is not called."""
    del given, named


_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_THEMSELVES = (
    *(*_PLAIN, range, slice),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType),
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
            return _of_cell(state, value)
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


def _of_known(content: object, value: Value) -> object:
    if type(content) in _THEMSELVES:
        return content
    if type(content) is type:
        return object
    if type(content) in (list, tuple, set, frozenset, dict):
        return type(content)()
    if isinstance(content, torch.Tensor):
        return _of_tensor(content, value)
    return _of_class(type(content), value)


_TENSORS = (torch.Tensor, torch.nn.Parameter, FakeTensor)


def _of_tensor(tensor: torch.Tensor, value: Value) -> object:
    sizes = [size if isinstance(size, int) else None for size in tensor.shape]
    if None in sizes or type(tensor) not in _TENSORS:
        raise NotMaterial("a tensor of unknown size", value)
    return torch.zeros([min(size, 2) for size in sizes if size is not None], dtype=tensor.dtype)


def _of_cell(state: State, value: Reference) -> object:
    match state.heap[value.identity]:
        case ListCell(kind=kind) as cell if kind is list:
            return [stand_in(state, item) for item in cell.items]
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
    *("__floor__", "__ceil__", "__trunc__", "__format__"),
)


def _of_class(kind: type, value: Value) -> object:
    if issubclass(kind, _NOT_STOOD_FOR) or any(
        class_member(kind, one) is not class_member(object, one) for one in _NUMERIC
    ):
        raise NotMaterial("an object that may be anything", value)
    return _stood_for(kind)


_NOT_STOOD_FOR = (
    *(int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset),
    *(collections.deque, numpy.ndarray, numpy.generic, torch.Tensor, torch.Size, type),
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
