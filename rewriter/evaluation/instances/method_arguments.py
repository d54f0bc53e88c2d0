"""Whether the arguments of a call fit a method of a builtin class: Python itself is asked."""

import types
from collections import OrderedDict
from collections.abc import Iterator, Mapping

from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_text
from rewriter.evaluation.calls.samples_of_kinds import stand_in
from rewriter.evaluation.rendering import NotMaterial
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    SetCell,
    TupleValue,
    Value,
)

_CONTAINERS = (list, tuple, dict, set, frozenset)


class _Anything:
    """What every method of an empty container takes for each of its parameters."""

    def __index__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def keys(self) -> tuple[object, ...]:
        return ()


def misfit(
    state: State, receiver: Value, name: str, positional: list[Value], keywords: Mapping[str, Value]
) -> TypeError | None:
    """Return what Python raises if no such method takes arguments of such kinds and names.

    Only methods written in C are asked: those written in Python are evaluated like all calls.
    """
    kind = _builtin_class(state, receiver)
    method = getattr(kind, name, None)
    if kind is None or not isinstance(method, types.MethodDescriptorType):
        return misfit_of_text(state, receiver, name, positional, keywords)
    given = [_in_place(state, value) for value in positional]
    named = {key: _in_place(state, value) for key, value in keywords.items()}
    try:
        method(method.__objclass__(), *given, **named)
    except TypeError as error:
        return error.with_traceback(None)
    except Exception:  # it got as far as looking for an item
        return None
    return None


def by_place(
    state: State, receiver: Value, name: str, positional: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Return the arguments of ``pop`` and ``setdefault`` by place: an OrderedDict takes names."""
    kind = _builtin_class(state, receiver) if keywords else None
    if name not in ("pop", "setdefault") or kind is None or not issubclass(kind, OrderedDict):
        return positional, keywords
    names = ("key", "default")[len(positional) :]
    return [*positional, *(keywords[one] for one in names if one in keywords)], {}


def _in_place(state: State, value: Value) -> object:
    if isinstance(value, IteratorValue):  # of which nobody knows here what Python calls it
        return _Anything()
    try:
        return stand_in(state, value)
    except NotMaterial:
        return _Anything()


def _builtin_class(state: State, receiver: Value) -> type | None:
    """Return the class of a container, None of everything else."""
    match receiver:
        case Reference():
            cell = state.heap[receiver.identity]
            return (
                cell.kind if isinstance(cell, ListCell | DictCell | SetCell | RunTimeCell) else None
            )
        case TupleValue():
            return receiver.kind
        case Known() if isinstance(receiver.value, _CONTAINERS):
            return type(receiver.value)
        case _:
            return None
