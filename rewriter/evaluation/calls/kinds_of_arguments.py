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

from rewriter.evaluation.calls.misfits import misfit_of_library
from rewriter.evaluation.calls.misfits_of_torch import misfit_of_operation
from rewriter.evaluation.calls.samples_of_kinds import PLAIN, are_alike, errors_of_kinds
from rewriter.evaluation.rendering import NotMaterial
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.values import NONE, HostValue, Known, Value, is_none

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
        format,
    }
) - {math.prod}
"""What looks at the kinds of its arguments when it is called, and calls nothing of the user's."""


_ITEMS_FIRST: frozenset[object] = frozenset(
    {collections.deque, bisect.insort_left, bisect.insort_right}
)
"""Where the rules of the evaluator look at items before the numbers at which Python looks first."""

_WHOLE: frozenset[object] = frozenset(
    {
        *(dict, set, frozenset, list, tuple, slice, str, int, float, complex),
        *(len, next, getattr, hasattr),
    }
)
"""The same; these look at the items of a list, too. Most programs call them all the time."""

_OF_PLAIN: frozenset[object] = frozenset(
    {
        *(min, max, sorted, sum, abs, round, divmod, pow, bin, hex, oct, chr),
        *(isinstance, issubclass),
        *(function for function in vars(operator).values() if isinstance(function, _BUILTIN)),
    }
) - {operator.mod, operator.imod, operator.concat, operator.call, operator.getitem}
"""What computes with objects, as their classes say: types alone decide of numbers and texts."""

_ORDERING = (max, min, operator.lt, operator.le, operator.gt, operator.ge)
_OF_ROWS: frozenset[object] = frozenset(
    {
        *(operator.concat, math.prod),
        *(bisect.bisect_left, bisect.bisect_right, bisect.insort_left, bisect.insort_right),
    }
)
"""The same of what looks at the items of lists last."""


def misfit_of_call(
    run: Run,
    state: State,
    function: Callable[..., Any],
    positional: list[Value],
    keywords: Mapping[str, Value],
) -> Exception | None:
    """Return what Python raises for a call of such arguments, None where it may go on."""
    error = misfit_of_library(function, positional, keywords)
    if error is not None or not isinstance(function, Hashable):
        return error
    calls_key = "key" in keywords and function is not itertools.groupby  # bisect does
    if function in _JUDGED and not calls_key:
        asking = run.frame if function in _ITEMS_FIRST else None
        return _raised(state, function, positional, keywords, _emptied, asking)
    if function in _OF_PLAIN and is_none(keywords.get("key", NONE)):
        ordered = function in _ORDERING and len(positional) > 1
        judged = _number_or_text if ordered else _plain_only
        return _raised(state, function, positional, keywords, judged)
    if function in _OF_ROWS and not calls_key:
        asking = run.frame if function in _ITEMS_FIRST else None
        return _raised(state, function, positional, keywords, _plain_emptied, asking)
    if run.protecting and function in _WHOLE:
        return _raised(state, function, positional, keywords)
    return misfit_of_operation(run, state, function, positional, keywords)


_COMPARED = (*PLAIN, types.FunctionType)


def _plain_only(given: object) -> object:
    items = given if isinstance(given, list | tuple | set | frozenset) else (given,)
    if not all(type(item) in _COMPARED or isinstance(item, type) for item in items):
        raise NotMaterial("an object whose class says what is computed", NONE)
    return given


def _number_or_text(given: object) -> object:
    """Return what is compared as a whole: of rows, items are up to the first that differ."""
    if type(given) not in PLAIN and not isinstance(given, type):
        raise NotMaterial("a row of which some items are compared", NONE)
    return given


def _emptied(given: object) -> object:
    """Return a list without its items: how these compare depends on what they are."""
    return [] if isinstance(given, list) else given


def _plain_emptied(given: object) -> object:
    return _plain_only(_emptied(given))


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
    asking: Frame | None = None,
) -> TypeError | None:
    """Return the TypeError that a function raises for stand-ins, whatever the numbers are.

    Where numbers decide which error it is, that is refused for a frame that asks.
    """
    errors = errors_of_kinds(state, function, positional, keywords, simplified)
    first = errors[0] if errors else None
    if not isinstance(first, TypeError):
        return None
    if not all(isinstance(one, TypeError) for one in errors):
        if asking is not None:
            message = "this raises in any case, and run-time numbers decide which error"
            asking.refuse("DYCL063", asking.statement or asking.source.node, message)
        return None
    # of iterators nobody knows here what Python calls them
    return None if "tuple_iterator" in str(first) or not are_alike(errors) else first
