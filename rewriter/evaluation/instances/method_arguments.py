"""Whether the arguments of a call fit a method of a builtin class: Python itself is asked."""

import types
from collections.abc import Iterable, Iterator

from rewriter.state import State
from rewriter.values import (
    DictCell,
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
    state: State, receiver: Value, name: str, count: int, keywords: Iterable[str]
) -> TypeError | None:
    """Return what Python raises if no such method takes so many arguments of such names.

    Only methods written in C are asked: those written in Python are evaluated like all calls.
    """
    kind = _builtin_class(state, receiver)
    method = getattr(kind, name, None)
    if kind is None or not isinstance(method, types.MethodDescriptorType):
        return None
    try:
        method(
            method.__objclass__(), *[_Anything()] * count, **dict.fromkeys(keywords, _Anything())
        )
    except TypeError as error:
        return error
    except Exception:  # it got as far as looking for an item
        return None
    return None


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
