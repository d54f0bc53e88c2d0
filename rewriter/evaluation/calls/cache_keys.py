"""What a cache finds its results by, and whether it would find that of other arguments."""

from collections.abc import Hashable, Mapping, Sequence

from rewriter.evaluation.calls.called_when_compiling import PLAIN, plain_argument
from rewriter.values import Known, Reference, TupleValue, Value


def cache_key(
    function: Known, arguments: Sequence[Value], names: tuple[str, ...]
) -> tuple[Hashable, ...] | None:
    """Return what a cache finds a result by, None where that is known at run time only."""
    parts = [_part(argument) for argument in arguments]
    return None if None in parts else (id(function.value), names, *parts)


def equal_key(
    function: Known, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> Hashable:
    """Return what is equal where Python's cache takes arguments for the same: 1 is 1.0 there.

    None where some argument is no plain one. A whole number or text that is the only argument is
    no other one.
    """
    found = [plain_argument(value) for value in (*positional, *keywords.values())]
    if None in found:
        return None
    known = tuple(each[0] for each in found if each is not None)
    alone = len(known) == 1 and not keywords and type(known[0]) in (int, str)
    return id(function.value), alone, (*keywords,), known


def _part(value: Value) -> Hashable:
    match value:
        case Known() if isinstance(value.value, PLAIN):
            return type(value.value), repr(value.value)
        case Known() if type(value.value) is tuple:
            return tuple(map(_part, map(Known, value.value)))
        case Known() if type(value.value) is frozenset:
            return frozenset(map(_part, map(Known, value.value)))
        case Known():
            return id(value.value)
        case Reference():
            return "object", value.identity
        case TupleValue():
            parts = tuple(map(_part, value.items))
            return None if None in parts else parts
        case _:
            return None
