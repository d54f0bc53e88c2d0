"""Runs recursive functions with their sub-DNNs put off, and computed for many calls at once.

Each call of a sub-DNN is written down, at the level after those of what it reads:

    encode --+-- encode --+-- subdnn_1(word)   level 0  `
             |            `-- subdnn_1(word)   level 0   > one call for three words
             |            subdnn_2(., .)       level 1   |
             `-- subdnn_1(word)                level 0  /
             subdnn_2(., .)                    level 2

Then level by level: what the calls of one sub-DNN read is put together, and the sub-DNN for batches
gives all their results.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

_Function = Callable[..., Any]
_MOST = 4096
"""Calls that are written down before they are computed: what is not computed takes memory."""


class _Later(tuple[Any, ...]):
    """A result that is not computed yet: the calls it is of, their level, which output, which row.

    A tuple, as that is made fast.
    """

    __slots__ = ()


class _Calls:
    """Calls of one sub-DNN at one level, and later their results."""

    __slots__ = ("arguments", "many", "one", "results")

    def __init__(self, one: _Function, many: _Function) -> None:
        self.one = one
        self.many = many
        self.arguments: list[tuple[Any, ...]] = []
        self.results: Any = None

    def run(self) -> None:
        """Compute them all."""
        if len(self.arguments) == 1:
            results = _listed(self.one(*map(_value, self.arguments[0])))
            self.results = [result[np.newaxis] for result in results]
        else:
            self.results = _listed(self.many(*map(_together, zip(*self.arguments, strict=True))))


class _Plan:
    """What one call of a function has to compute."""

    __slots__ = ("count", "levels")

    def __init__(self) -> None:
        self.levels: list[dict[_Function, _Calls]] = []
        self.count = 0

    def run(self) -> None:
        """Compute what was written down."""
        levels, self.levels = self.levels, [{} for _ in self.levels]
        self.count = 0
        for kinds in levels:
            for calls in kinds.values():
                calls.run()


class _OfThread(threading.local):
    plan: _Plan | None = None


class Batching:
    """Calls functions in batches: ``in_batches(encode, tree)`` is ``encode(tree)``."""

    def __init__(self, *subdnns: tuple[_Function, _Function, int]) -> None:
        """Take each sub-DNN, the one for batches of it, and how many results it has."""
        self._of_thread = _OfThread()
        self.subdnns = tuple(_put_off(self._of_thread, *each) for each in subdnns)

    def __call__(self, function: _Function, *arguments: Any) -> Any:
        """Call a function that neither looks at results of these sub-DNNs nor changes anything."""
        of_thread = self._of_thread
        if of_thread.plan is not None:  # inside of such a call
            return function(*arguments)
        of_thread.plan = plan = _Plan()
        try:
            result = function(*arguments)
            plan.run()
            return _computed(result)
        except Exception:
            pass  # it may not be what comes first where one is computed after the other
        finally:
            of_thread.plan = None
        return function(*arguments)

    def many(self, function: _Function, rows: list[tuple[Any, ...]]) -> list[Any]:
        """Call such a function many times; raise what comes first, of whichever call."""
        of_thread = self._of_thread
        of_thread.plan = plan = _Plan()
        try:
            results = [function(*arguments) for arguments in rows]
            plan.run()
            return [_computed(result) for result in results]
        finally:
            of_thread.plan = None


def _put_off(of_thread: _OfThread, one: _Function, many: _Function, results: int) -> _Function:
    """Return a sub-DNN that is called at once, or written down where there is a plan."""
    outputs = range(results)

    def subdnn(*arguments: Any) -> Any:
        plan = of_thread.plan
        if plan is None:
            return one(*arguments)
        if plan.count == _MOST:
            plan.run()
        plan.count += 1
        level = 0
        for argument in arguments:
            if type(argument) is _Later and argument[1] >= level:
                level = argument[1] + 1
        levels = plan.levels
        if level == len(levels):
            levels.append({})
        calls = levels[level].get(one)
        if calls is None:
            calls = levels[level][one] = _Calls(one, many)
        row = len(calls.arguments)
        calls.arguments.append(arguments)
        if results == 1:
            return _Later((calls, level, 0, row))
        return [_Later((calls, level, output, row)) for output in outputs]

    return subdnn


def _listed(results: Any) -> Any:
    return results if isinstance(results, list) else [results]


def _together(column: tuple[Any, ...]) -> Any:
    """Return the values of an argument of many calls as one array."""
    first = column[0]
    if type(first) is _Later:
        calls, _, output, _ = first
        rows = [x[3] for x in column if type(x) is _Later and x[0] is calls and x[2] == output]
        if len(rows) == len(column):
            array = calls.results[output]
            return array if rows == [*range(len(array))] else array.take(rows, 0)
    return _stacked([_value(x) for x in column])


def _stacked(arrays: Any) -> Any:
    """Return arrays of one type and shape in a row, faster than ``np.stack`` does it."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    if any(array.shape != shape or array.dtype != dtype for array in arrays):
        raise ValueError("calls that are no batch")  # each alone says what is wrong
    if not shape:
        return np.array(arrays)
    return np.concatenate(arrays).reshape(len(arrays), *shape)


def _value(x: Any) -> Any:
    return x[0].results[x[2]][x[3], ...] if type(x) is _Later else x


def _computed(result: Any) -> Any:
    """Return a result with arrays in it."""
    if type(result) is _Later:
        return _value(result)
    if isinstance(result, list | tuple):
        return type(result)(map(_computed, result))
    return result
