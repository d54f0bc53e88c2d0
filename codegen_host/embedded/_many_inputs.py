"""Runs the program for many inputs together: what stands at the same sub-DNN is one call.

    forward_steps(x_0)   subdnn_0 .... subdnn_1 ............ subdnn_3
    forward_steps(x_1)   subdnn_0 ............. subdnn_2 ... subdnn_3
    forward_steps(x_2)   subdnn_0 .... subdnn_1 ............ subdnn_3
                         3 inputs      2        1            3: four calls in place of nine

Each program is a generator that stops before its sub-DNNs. Those that are least far go first, so
that the others are caught up with.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

_Function = Callable[..., Any]
_Steps = Generator[tuple[Any, ...], Any, Any]

_MOST = 4096
"""Inputs of a call of a sub-DNN for batches: as many as it was made for."""
_MOST_BYTES = 1 << 22
"""Of one argument: a batch that the processor's caches cannot hold takes longer than its parts."""


class ManyInputs:
    """The entry point for many inputs: ``forward_many([(x,), (y,)])``."""

    def __init__(
        self,
        package: Any,
        forward: _Function,
        steps: Callable[..., _Steps],
        in_batches: Any = None,
        *,
        batches: Mapping[_Function, _Function],
    ) -> None:
        """Take the program for one input, and for one that stops before its sub-DNNs.

        ``batches`` has for each of these the one for batches, in the order in which they run;
        ``in_batches`` runs functions whose sub-DNNs are put off.
        """
        self._package = package
        self._forward = forward
        self._arguments_of = package.checker(forward)
        self._steps = steps
        self._in_batches = in_batches
        self._batches = batches
        self._order = {call: place for place, call in enumerate(batches)}

    def __call__(self, inputs: Iterable[Any]) -> list[Any]:
        """Return what the program returns for each input: a tuple of arguments, or a dict of them.

        Where one raises, that of the first input that does is raised, as if they ran one by one.
        """
        checked = [self._checked(place, each) for place, each in enumerate(inputs)]
        if len(checked) > 1 and not self._package.is_observed:
            try:
                return self._together(checked)
            except Exception:
                pass  # it may not be what comes first where one runs after the other
        return [self._forward(*args, **kwargs) for args, kwargs in checked]

    def _checked(self, place: int, given: Any) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        from ._sizes import InputError

        if not isinstance(given, tuple | dict):
            kind = type(given).__name__
            raise InputError(
                f"inputs[{place}]: expected a tuple of arguments, or a dict of arguments by name, "
                f"got {kind}"
            )
        args, kwargs = (given, {}) if isinstance(given, tuple) else ((), given)
        try:
            return self._arguments_of(args, kwargs)  # type: ignore[no-any-return]
        except InputError as error:
            raise InputError(f"inputs[{place}]: {error}") from error

    def _together(self, inputs: Sequence[tuple[tuple[Any, ...], Mapping[str, Any]]]) -> list[Any]:
        results: list[Any] = [None] * len(inputs)
        waiting: dict[_Function, list[tuple[int, _Steps, tuple[Any, ...]]]] = {}

        def go_on(place: int, program: _Steps, value: Any) -> None:
            try:
                call, *arguments = program.send(value)
            except StopIteration as end:
                results[place] = end.value
                return
            if call is self._in_batches:
                call, *arguments = arguments
            waiting.setdefault(call, []).append((place, program, tuple(arguments)))

        for place, (args, kwargs) in enumerate(inputs):
            go_on(place, self._steps(*args, **kwargs), None)
        last = len(self._order)
        while waiting:
            call = min(waiting, key=lambda call: self._order.get(call, last))
            stopped = waiting.pop(call)
            values = self._run(call, [arguments for _, _, arguments in stopped])
            for (place, program, _), value in zip(stopped, values, strict=True):
                go_on(place, program, value)
        return results

    def _run(self, call: _Function, rows: list[tuple[Any, ...]]) -> list[Any]:
        """Return the results of calls of one sub-DNN, or of one function that is put off."""
        if call not in self._order:
            return self._in_batches.many(call, rows)  # type: ignore[no-any-return]
        results: list[Any] = [None] * len(rows)
        for places in _parts(rows):
            found = _computed(call, self._batches[call], [rows[place] for place in places])
            for place, result in zip(places, found, strict=True):
                results[place] = result
        return results


def _parts(rows: list[tuple[Any, ...]]) -> Iterator[list[int]]:
    """Yield the places of calls that are computed together.

    Their arrays have one form each, and their numbers are the same.
    """
    forms: dict[Any, list[int]] = {}
    for place, arguments in enumerate(rows):
        form = tuple([x if type(x) is int else (x.shape, x.dtype) for x in arguments])
        forms.setdefault(form, []).append(place)
    for places in forms.values():
        largest = max(0 if type(x) is int else x.nbytes for x in rows[places[0]])
        most = min(_MOST, max(1, _MOST_BYTES // max(1, largest)))
        for start in range(0, len(places), most):
            yield places[start : start + most]


def _computed(one: _Function, many: _Function, rows: list[tuple[Any, ...]]) -> list[Any]:
    """Return the results of calls, each an array or a list of them."""
    if len(rows) == 1:
        return [one(*rows[0])]
    results = many(*map(_column, zip(*rows, strict=True)))
    count = range(len(rows))
    if isinstance(results, list):
        return [[result[row, ...] for result in results] for row in count]
    return [results[row, ...] for row in count]


def _column(arrays: tuple[Any, ...]) -> Any:
    """Return arrays of one form in a row: where they are, if they stand in a row already."""
    first = arrays[0]
    if type(first) is int:
        return first
    base = first.base
    if isinstance(base, np.ndarray) and all(
        x.base is base and x.flags.c_contiguous for x in arrays
    ):
        places = [x.__array_interface__["data"][0] for x in arrays]
        size = first.nbytes
        if size and places == [*range(places[0], places[0] + len(arrays) * size, size)]:
            strides = (size, *first.strides)
            return np.lib.stride_tricks.as_strided(first, (len(arrays), *first.shape), strides)
    if not first.shape:
        return np.array(arrays)
    return np.concatenate(arrays).reshape(len(arrays), *first.shape)
