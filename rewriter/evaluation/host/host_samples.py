"""Samples of the operands of host operations: objects of their types with meaningless content."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import torch

from rewriter.array_samples import Array, OpenArray, made_definite
from rewriter.evaluation.containers.containers import describe
from rewriter.evaluation.host.host_arrays import sample_array
from rewriter.evaluation.host.host_results import sample_of, sample_of_type
from rewriter.evaluation.rendering import NotMaterial
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, HostType, NumberType, SequenceType, TupleType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)

_NUMBERS = (0, 0, 1, 1, 2, 3, 5)
"""Numbers of samples. Operands draw theirs apart: what they are together may tell the shape."""

_FRACTIONS = (*_NUMBERS, 0.5, -1, -2.5)
"""Those of floats. Integers are not negative, as sizes and counts are not."""

_SIZES = (0, 1, 2, 3, 4, 7)
_USUAL_SIZE = 2
_MOST_DEEP = 8


WITH_FLOATS, WITHOUT_FLOATS = "a float", "no float"


@dataclass(frozen=True, slots=True)
class AnyNumber:
    """A sample of a number that is an integer or a float; None where neither is known."""

    is_float: bool | None = None


@dataclass(slots=True)
class Trial:
    """One try of an operation: the samples of its operands, and what they were drawn as."""

    draws: numpy.random.Generator | None = None
    """Draws content; None leaves samples as they are."""
    filled: frozenset[str] = frozenset()
    """The lists, by variable, that have at least one element."""
    alike: bool = True
    """Whether all sizes that are known only at run time are the same one."""
    zeros: bool = False
    """Whether integers are 0, which is a place in whatever has one."""
    by_columns: bool = False
    """Whether arrays lie in memory column by column."""
    definite: bool = False
    """Whether square matrices are symmetric and positive definite: such equations can be solved."""
    sizes: list[int] = field(default_factory=list)
    """Those sizes, in the order of the operands."""
    numbers: list[object] = field(default_factory=list)
    """The numbers among the operands, in their order."""
    open: bool = False
    """Whether an operand is known only at run time."""
    given: list[tuple[Array, Array, Value]] = field(default_factory=list)
    """The arrays among the operands, copies of them, and what they stand for."""

    def size(self, least: int = 0) -> int:
        """Return a size for an operand's dimension, or the length of a list."""
        if self.draws is None:
            drawn = _USUAL_SIZE
        elif self.alike and self.sizes:
            drawn = self.sizes[0]
        else:
            drawn = int(self.draws.choice(_SIZES))
        drawn = max(drawn, least)
        self.sizes.append(drawn)
        return drawn

    def array(self, sample: Array | OpenArray, value: Value) -> Array:
        """Return an array that stands for a value, of a sample's type, with memory of its own."""
        if isinstance(sample, OpenArray):
            sizes = [self.size() if size is None else size for size in sample.shape]
            made: Array = numpy.ones(sizes, sample.dtype)
        else:
            made = sample.copy(order="K")
        if not isinstance(value, Known) and (self.draws is not None or self.zeros):
            made = self.content(made.shape, made.dtype)
        if not isinstance(value, Known) and self.definite:
            made = made_definite(made)
        if self.by_columns and made.ndim > 1:
            made = made.copy(order="F")
        self.given.append((made, made.copy(), value))
        return made

    def content(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Return an array of an element type with drawn content."""
        if self.draws is None or (self.zeros and numpy.issubdtype(dtype, numpy.integer)):
            return numpy.zeros(shape, dtype)
        inexact = numpy.issubdtype(dtype, numpy.inexact)
        return self.draws.choice(_FRACTIONS if inexact else _NUMBERS, shape).astype(dtype)

    def other(self, sample: Any) -> Any:
        """Return an object of a sample's type with other content."""
        if isinstance(sample, list | tuple):
            return type(sample)(self.other(item) for item in sample)
        if isinstance(sample, numpy.ndarray):
            return self.content(sample.shape, sample.dtype)
        if isinstance(sample, OpenArray):
            sizes = [self.size() if size is None else size for size in sample.shape]
            return self.content(tuple(sizes), sample.dtype)
        if isinstance(sample, AnyNumber):
            return self.plain(sample)
        if self.draws is None or isinstance(sample, str):
            return sample
        if isinstance(sample, float | complex | numpy.inexact):
            number = type(sample)(self.draws.choice(_FRACTIONS))
        else:
            number = type(sample)(0 if self.zeros else int(self.draws.choice(_NUMBERS)))
        self.numbers.append(number)
        return number

    def plain(self, sample: "AnyNumber") -> int | float:
        """Return an integer or a float, as far as the list tells in which it is."""
        if self.draws is None:
            return 2.5 if sample.is_float else 2
        whole = not sample.is_float if sample.is_float is not None else self.draws.random() < 0.5
        number = int(self.draws.choice(_NUMBERS)) if whole else float(self.draws.choice(_FRACTIONS))
        self.numbers.append(number)
        return number

    def written(self) -> Iterator[Value]:
        """Yield what arrays stand for whose content is another one than before."""
        for array, before, value in self.given:
            if array.tobytes() != before.tobytes():
                yield value


def sample_argument(state: State, value: Value, trial: Trial, *, as_eager: bool = False) -> Any:
    """Return a sample of an argument; for tensors, tensors in eager and arrays on the host."""
    trial.open |= _is_open(state, value)
    match value:
        case TensorValue():
            sample = sample_array(value.fake)
            if sample is None:
                raise NotMaterial(f"a {value.fake.dtype} tensor, which numpy has none of,", value)
            array = trial.array(sample, value)
            return torch.from_numpy(array) if as_eager else array
        case TupleValue():
            return tuple(
                sample_argument(state, item, trial, as_eager=as_eager) for item in value.items
            )
        case SliceValue():
            parts = (value.start, value.stop, value.step)
            return slice(*(sample_argument(state, part, trial) for part in parts))
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            return [sample_argument(state, item, trial, as_eager=as_eager) for item in cell.items]
        case Known(value=numpy.ndarray() as content):
            return trial.array(content, value)
        case HostValue(sample=numpy.ndarray() | OpenArray() as sample):
            return trial.array(sample, value)
        case ScalarValue() | HostValue():
            is_any = isinstance(value, ScalarValue) and value.plain
            return trial.other(AnyNumber() if is_any else sample_object(state, value))
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            return _of_length(state, value, cell, trial)
        case _:
            return sample_object(state, value)


def sample_converted(state: State, value: Value, trial: Trial, *, as_eager: bool = False) -> Any:
    """Return a sample of an argument whose type does not matter where it is a number."""
    if isinstance(value, ScalarValue) and value.type is None:
        trial.open = True
        return trial.other(0.0)
    return sample_argument(state, value, trial, as_eager=as_eager)


def _is_open(state: State, value: Value) -> bool:
    """Return whether a value is known only at run time by itself, not by its parts."""
    if isinstance(value, Reference):
        return not isinstance(state.heap[value.identity], ListCell)
    return not isinstance(value, Known | TupleValue | SliceValue)


def _of_length(state: State, value: Value, cell: RunTimeCell, trial: Trial) -> Any:
    """Return a sample of a container, with a number of elements of its own."""
    given = cell.type
    if not isinstance(given, SequenceType) or given.kind not in (list, tuple):
        return sample_object(state, value)
    if in_rows(cell.name, "nothing") in trial.filled:
        rows = trial.size(1)
        return given.kind([] for _ in range(rows))
    filled = [name in trial.filled for name in (cell.name, in_rows(cell.name, "something"))]
    with_floats = of_list(cell.name, WITH_FLOATS) in trial.filled
    without = of_list(cell.name, WITHOUT_FLOATS) in trial.filled
    number = AnyNumber(is_float=False if without else None)
    least = [1] * _MOST_DEEP if with_floats else [int(one) for one in filled]
    drawn = _drawn(given, trial, number, least)
    if with_floats:
        drawn = _with_a_float(drawn, trial)
    if drawn is None:
        raise NotMaterial(describe(state, value), value)
    return trial.other(drawn)


def has_rows(given: HostType) -> bool:
    """Return whether what is in a container are lists of any length."""
    element = decided(given.element) if isinstance(given, SequenceType) else None
    return isinstance(element, SequenceType) and element.kind in (list, tuple)


def of_list(name: str, content: str) -> str:
    """Return what says of the numbers in a list, and in the lists in it, what is among them."""
    return f"{content} in {name}"


def in_rows(name: str, content: str) -> str:
    """Return what says of the lists in a list, all of them, that there is something in them."""
    return f"{content} in the rows of {name}"


def _with_a_float(drawn: Any, trial: Trial) -> Any:
    """Return a nest of numbers in which one of those that may be a float is one."""
    if isinstance(drawn, AnyNumber):
        return AnyNumber(is_float=True)
    if not isinstance(drawn, list | tuple):
        return drawn
    places = [place for place, item in enumerate(drawn) if _has_any_number(item)]
    if not places:
        return drawn
    chosen = places[-1] if trial.draws is None else int(trial.draws.choice(places))
    parts = [_with_a_float(part, trial) if i == chosen else part for i, part in enumerate(drawn)]
    return type(drawn)(parts)


def _has_any_number(drawn: Any) -> bool:
    if isinstance(drawn, list | tuple):
        return any(map(_has_any_number, drawn))
    return isinstance(drawn, AnyNumber)


def _drawn(given: HostType, trial: Trial, number: AnyNumber, least: Sequence[int] = ()) -> Any:
    """Return a sample of a type, None where there is none.

    The lists in a list are as long as each other, and of any length, ``least`` at the least.
    ``number`` stands for integers and floats.
    """
    match decided(given):
        case SequenceType() as sequence if sequence.kind in (list, tuple):
            size = trial.size(*least[:1])
            item = _drawn(sequence.element, trial, number, least[1:])
            return None if item is None else sequence.kind([item] * size)
        case TupleType() as whole if whole.kind is tuple:
            items = [_drawn(item, trial, number, least[1:]) for item in whole.items]
            return None if any(item is None for item in items) else tuple(items)
        case NumberType(kind=kind) if kind is PLAIN:
            return number
        case _:
            return sample_of_type(given)


def sample_object(state: State, value: Value) -> Any:
    """Return an object of the value's type and structure with meaningless content."""
    match value:
        case TupleValue():
            return tuple(sample_object(state, item) for item in value.items)
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            return [sample_object(state, item) for item in cell.items]
        case Reference() if isinstance(cell := state.heap[value.identity], DictCell):
            return {key: sample_object(state, item) for key, item in cell.items.items()}
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            sample = sample_of_type(cell.type)
            if sample is None:
                raise NotMaterial(describe(state, value), value)
            return sample
        case Known() | ScalarValue() | HostValue():
            if isinstance(value, ScalarValue) and value.type is None:
                raise NotMaterial("a number of unknown type", value)
            return sample_of(value)
        case _:
            raise NotMaterial(describe(state, value), value)
