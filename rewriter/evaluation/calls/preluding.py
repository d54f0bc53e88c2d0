"""``itertools``, ``functools`` and ``operator`` on values of run time: inlined from Python.

Calls with compile-time arguments only are made at compile time, as those of other pure functions.
"""

import bisect
import functools
import itertools
import math
import operator
import statistics
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.compile_time_calls import RaisesLater
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import (
    Keywords,
    Positional,
    SpecialRule,
    special,
    special_method,
)
from rewriter.evaluation.rendering import any_tensor, known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.searching_in_code import is_own_object
from rewriter.prelude import applying, arranging, bisecting, iterating, operating
from rewriter.state import State
from rewriter.values import NONE, IteratorValue, Known, Reference, TensorValue, Value, ViewValue

_ALWAYS_INLINED = (
    *(itertools.count, itertools.cycle, itertools.repeat),  # they have no end
    functools.cmp_to_key,  # what it makes is called with items of run time
    *(itertools.groupby, itertools.tee),  # they give iterators, which the program consumes
)
_MADE: dict[type, Callable[..., object]] = {
    operator.itemgetter: applying.itemgetter,
    operator.attrgetter: applying.attrgetter,
    operator.methodcaller: applying.methodcaller,
}


def inlined(function: Callable[..., object]) -> SpecialRule:
    """Return the rule of a function that the prelude has in Python."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        return call_value(frame, node, state, Known(function), positional, keywords)

    return call


def _functions_of(module: types.ModuleType, library: types.ModuleType) -> dict[object, object]:
    """Return what a module of the prelude defines, by the library's function of that name."""
    return {
        getattr(library, name): function
        for name, function in vars(module).items()
        if getattr(function, "__module__", None) == module.__name__ and hasattr(library, name)
    }


def _inlined(frame: Frame, state: State, library: object, values: list[Value]) -> bool:
    """Return whether a call has to be evaluated: it is given more than compile-time objects."""
    if library in _ALWAYS_INLINED:
        return True
    knowns = [known_object(state, value) for value in values]
    if any(known is None for known in knowns):
        return True
    # What is made of the program's own lists keeps them: it is not given copies.
    kept = any(isinstance(value, Reference) for value in values)
    return kept or any_tensor([known.value for known in knowns if known is not None])


def known_or_inlined(library: object, substitute: object) -> SpecialRule:
    """Return the rule that calls the library where all is known, and Python's code otherwise."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if not _inlined(frame, state, library, [*positional, *keywords.values()]):
            with suppress(RaisesLater):
                called = call_library(frame, node, state, Known(library), positional, keywords)
                return iter(list(called))
        return call_value(frame, node, state, Known(substitute), positional, keywords)

    return call


for _library, _substitute in {
    **_functions_of(iterating, itertools),
    **_functions_of(arranging, itertools),
    **_functions_of(operating, operator),
    **_functions_of(applying, functools),
    **_functions_of(applying, operator),
    **_functions_of(applying, math),
}.items():
    special(_library)(known_or_inlined(_library, _substitute))

special_method(itertools.chain, "from_iterable")(
    known_or_inlined(itertools.chain.from_iterable, iterating.from_iterable)
)


def _asked_in_code(state: State, value: Value) -> bool:
    return isinstance(value, TensorValue) or is_own_object(state, value)


def _bisecting(library: Callable[..., object], substitute: Callable[..., object]) -> SpecialRule:
    """Return the rule that has tensors, objects and keys looked for in Python."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        given = [*positional[1:2], *(v for name, v in keywords.items() if name == "x")]
        by_key = keywords.get("key", NONE) != NONE
        by_key = by_key and _inlined(frame, state, library, [*positional, *keywords.values()])
        if by_key or any(_asked_in_code(state, value) for value in given):
            return call_value(frame, node, state, Known(substitute), positional, keywords)
        return call_library(frame, node, state, Known(library), positional, keywords)

    return call


special(bisect.bisect_left)(_bisecting(bisect.bisect_left, bisecting.bisect_left))
special(bisect.bisect_right)(_bisecting(bisect.bisect_right, bisecting.bisect_right))
special(bisect.insort_left)(inlined(bisecting.insort_left))
special(bisect.insort_right)(inlined(bisecting.insort_right))


def _listing(
    function: Callable[..., object], listed: object, walked: Callable[[State, Value], bool]
) -> SpecialRule:
    """Return the rule of a function that only walks over its first argument: it gets a list."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if not positional or not walked(state, positional[0]):
            yield from call_library(frame, node, state, Known(function), positional, keywords)
            return
        data, *rest = positional
        for after, items in call_value(frame, node, state, Known(listed), [data], {}):
            given = [items, *rest]
            yield from call_library(frame, node, after, Known(function), given, keywords)

    return call


def _is_lazy(state: State, value: Value) -> bool:
    del state
    return isinstance(value, IteratorValue | ViewValue)


for _function in vars(statistics).values():
    if isinstance(_function, types.FunctionType) and _function.__name__ in statistics.__all__:
        special(_function)(_listing(_function, list, _is_lazy))

special(math.fsum)(
    _listing(math.fsum, applying.numbers, lambda state, data: known_object(state, data) is None)
)


_OF_INTEGERS = ("comb", "factorial", "gcd", "isqrt", "lcm", "perm")
_OF_OTHERS = ("dist", "fsum", "prod", "trunc")
"""Functions of ``math`` that take something else than numbers."""


def _of_numbers(function: Callable[..., object], kind: Callable[..., object]) -> SpecialRule:
    """Return the rule of a function that takes tensors for the numbers in them."""

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        place = next((i for i, v in enumerate(positional) if isinstance(v, TensorValue)), None)
        if place is None:
            yield from call_library(frame, node, state, Known(function), positional, keywords)
            return
        for after, number in call_value(frame, node, state, Known(kind), [positional[place]], {}):
            numbers = [*positional[:place], number, *positional[place + 1 :]]
            yield from call(frame, node, after, numbers, keywords)

    return call


for _name, _function in vars(math).items():
    if callable(_function) and _name not in (*_OF_OTHERS, *dir(type)):
        special(_function)(
            _of_numbers(_function, operator.index if _name in _OF_INTEGERS else float)
        )


@special(pow)
def pow_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``pow(x, y)`` of tensors, and of numbers as the library does."""
    if len(positional) == 2 and any(isinstance(value, TensorValue) for value in positional):
        return call_value(frame, node, state, Known(operating.pow), positional, keywords)
    return call_library(frame, node, state, Known(pow), positional, keywords)


def _fromkeys(kind: type) -> SpecialRule:
    def fromkeys(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        keys, *rest = positional
        value = rest[0] if rest else keywords.get("value", Known(None))
        made = [Known(kind), keys, value]
        return call_value(frame, node, state, Known(applying.fromkeys), made, {})

    return fromkeys


for _kind in (dict, OrderedDict, defaultdict):
    special_method(_kind, "fromkeys")(_fromkeys(_kind))


def getter_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of a getter of ``operator`` that exists at compile time."""
    substitute = _MADE.get(type(content))
    if substitute is None:
        return None
    made, given = cast(tuple[object, tuple[object, ...]], content.__reduce__())
    named: dict[str, object] = {}
    if isinstance(made, functools.partial):
        given, named = (*made.args, *given), made.keywords
    getter = Known(functools.partial(substitute, *given, **named))

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        for after, function in call_value(frame, node, state, getter, [], {}):
            yield from call_value(frame, node, after, function, positional, keywords)

    return call
