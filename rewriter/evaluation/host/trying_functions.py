"""What functions of the host give, and write to, learnt by trying them on samples.

The type of a result and the rank of an array must be the same in all trials. Its sizes are known
where they are the same whatever the operands hold, and however large operands are whose size is
known only at run time.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import libcst as cst
import numpy

from rewriter.array_samples import Array, OpenArray, joined_sample
from rewriter.evaluation.host.array_memory import allocated, note_writes, root_of
from rewriter.evaluation.host.array_memory import forget_tensors_over as forget_tensors
from rewriter.evaluation.host.host_results import host_result
from rewriter.evaluation.host.host_samples import Trial
from rewriter.evaluation.host.host_statements import host_effect, host_value
from rewriter.evaluation.host.trial_runs import run_trials
from rewriter.evaluation.refusals import AlwaysRaised
from rewriter.evaluation.rendering import name_expression
from rewriter.evaluation.run import Frame
from rewriter.host_type_relations import is_plain
from rewriter.host_types import PLAIN
from rewriter.state import State
from rewriter.values import FOREIGN, HostValue, Known, Memory, TupleValue, Value

_ENOUGH = 5
"""How many trials must succeed before anything is taken to be as it was in all of them."""

DEPENDS = "the type, or the number of dimensions, of what {} gives depends on run-time values"

_SHAPE_FROM_DATA = frozenset(
    {"nonzero", "flatnonzero", "argwhere", "unique", "extract", "compress", "trim_zeros", "union1d",
     "intersect1d", "setdiff1d", "setxor1d", "delete", "bincount", "histogram", "roots", "arange"}
)  # fmt: skip
"""What gives as much as its operands say or have in common: samples may not show it."""


_NUMBERS_AND_TEXTS = (int, float, bool, complex, str, numpy.generic)


@dataclass(frozen=True, slots=True)
class Part:
    """What an operation gives, or a part of a tuple that it gives."""

    sample: object
    memory: Memory | None = None
    forward: bool = False
    alike: bool = False
    laid: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of trying an operation."""

    result: "Part | tuple[Part, ...]"
    written: tuple[Value, ...]
    """The arrays that it writes to."""


def tried(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    compute: Callable[[Trial], object],
    filled: frozenset[str] = frozenset(),
    *,
    may_always_raise: bool = False,
) -> Tried:
    """Return what a function gives of samples, and what of them it writes to.

    ``compute`` calls the function on samples of a trial; the lists ``filled`` are not empty.
    Raises ``AlwaysRaised`` if ``may_always_raise``, which says that no content would be taken.
    """
    results, errors, written = run_trials(compute, filled)
    if not results:
        first = errors[0]
        if may_always_raise and isinstance(first, TypeError) and len(set(map(repr, errors))) == 1:
            raise AlwaysRaised(first.with_traceback(None))
        problem = f"{_called(name)} fails on values of these types: {errors[0]}"
        frame.refuse("DYCL059", node, problem)
    here = allocated(frame, node)
    joining = _Joining(frame, node, name, here)
    parts = joining.whole(results)
    if any(part.memory and here <= part.memory for part in joining.parts):
        forget_tensors(frame, state, here)
    return Tried(parts, written)


@dataclass(slots=True)
class _Joining:
    """Joins what trials gave."""

    frame: Frame
    node: cst.CSTNode
    name: str
    here: Memory
    parts: list[Part] = field(default_factory=list)

    def whole(self, results: list[tuple[Trial, Any]]) -> Part | tuple[Part, ...]:
        """Return what stands for any of the results, or for the parts of tuples."""
        first = results[0][1]
        if type(first) is not tuple:
            return self._part(results)
        if any(type(result) is not tuple or len(result) != len(first) for _, result in results):
            self._refuse(DEPENDS.format(_called(self.name)))
        return tuple(
            self._part([(trial, result[place]) for trial, result in results])
            for place in range(len(first))
        )

    def _part(self, results: list[tuple[Trial, Any]]) -> Part:
        samples = [result for _, result in results]
        kinds = {type(sample) for sample in samples}
        first = samples[0] if len(kinds) == 1 else PLAIN
        if first is PLAIN and not all(map(is_plain, kinds)):
            self._refuse(DEPENDS.format(_called(self.name)))
        if isinstance(first, numpy.ndarray):
            self.parts.append(self._array(results, samples))
        elif first is None or first is PLAIN or isinstance(first, _NUMBERS_AND_TEXTS):
            self.parts.append(Part(first))
        else:
            kind = type(first).__name__
            self._refuse(
                f"{_called(self.name)} of run-time values gives a {kind}, which is not supported"
            )
        return self.parts[-1]

    def _array(self, results: list[tuple[Trial, Any]], samples: list[Array]) -> Part:
        if samples[0].dtype.hasobject:
            self._refuse(f"{_called(self.name)} gives an array of objects")
        sample = joined_sample(samples)
        if sample is None:
            self._refuse(DEPENDS.format(_called(self.name)))
        trials = [trial for trial, _ in results]
        known = not any(trial.open for trial in trials)
        told = known or (self.name not in _SHAPE_FROM_DATA and _sizes_are_told(trials))
        if sample.ndim and not told:
            sample = OpenArray(sample.dtype, (None,) * sample.ndim)
        memories = [self._memory(trial, result) for trial, result in results]
        found = [memory for memory in memories if memory is not None]
        memory = frozenset[tuple[object, int]]().union(*found)
        alike = all(self._lies_alike(trial, result) for trial, result in results)
        if not alike:
            memory |= FOREIGN
        forward = all(self._is_forward(trial, result) for trial, result in results)
        memory_known = memory if len(found) == len(memories) else None
        return Part(sample, memory_known, forward, alike, _is_laid(sample, results))

    def _lies_alike(self, trial: Trial, result: Array) -> bool:
        """Return whether a result lies in memory on the host as in the original."""
        root = root_of(result)
        is_new = all(array is not root for array, _, _ in trial.given)
        operands = (value for _, _, value in trial.given)
        return (is_new and result.flags.c_contiguous) or all(map(_is_laid_alike, operands))

    def _is_forward(self, trial: Trial, result: Array) -> bool:
        """Return whether a result lies forwards in memory, as far as a trial shows."""
        root = root_of(result)
        owners = [value for array, _, value in trial.given if array is root]
        certain = all(isinstance(value, HostValue) and value.forward for value in owners)
        return certain and min(result.strides, default=0) >= 0

    def _memory(self, trial: Trial, result: Array) -> Memory | None:
        """Return where the memory of a result was made, None where it may be anybody's."""
        root = root_of(result)
        for array, _, value in trial.given:
            if array is root:
                return value.memory if isinstance(value, HostValue) else FOREIGN
        return self.here if root.flags.owndata else None

    def _refuse(self, problem: str) -> NoReturn:
        self.frame.refuse("DYCL059", self.node, problem)


def _is_laid(sample: object, results: Sequence[tuple[Trial, Array]]) -> bool:
    """Return whether a result certainly lies in memory as the sample does, by rows where open.

    That is so where it lies by rows however the operands lie, and where all operands lie as
    their samples do.
    """
    is_open = isinstance(sample, OpenArray)
    operands = [value for _, _, value in results[0][0].given]
    if not all(isinstance(v, Known) or (isinstance(v, HostValue) and v.laid) for v in operands):
        return all(result.flags.c_contiguous for _, result in results)
    if not is_open:
        return True
    by_rows = all(map(_lies_by_rows, operands))
    return by_rows and all(r.flags.c_contiguous for trial, r in results if not trial.by_columns)


def _lies_by_rows(value: Value) -> bool:
    sample = value.value if isinstance(value, Known) else getattr(value, "sample", None)
    return not isinstance(sample, numpy.ndarray) or sample.flags.c_contiguous


def _is_laid_alike(value: Value) -> bool:
    """Return whether an operand lies in memory on the host as in the original."""
    if isinstance(value, Known):
        return bool(value.value.flags.c_contiguous)
    return isinstance(value, HostValue) and value.alike


def _called(name: str) -> str:
    """Return what a function, or an operation described in words, is called in a refusal."""
    return f"{name}()" if name.isidentifier() and name != "indexing" else name


def _sizes_are_told(trials: Sequence[Trial]) -> bool:
    """Return whether enough trials show what sizes depend on.

    Each number, and each size that is known only at run time, must have been several ones.
    """
    drawn = [*zip(*(t.sizes for t in trials), strict=False)]
    drawn += [*zip(*(t.numbers for t in trials), strict=False)]
    return len(trials) >= _ENOUGH and all(len(set(each)) > 1 for each in drawn)


def emit_tried(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    expression: ast.expr,
    found: Tried,
    *,
    may_raise: bool = True,
) -> Value:
    """Emit the statement of an operation that was tried; return its result."""
    note_writes(frame, node, state, found.written)
    result = found.result
    if isinstance(result, tuple):
        whole = host_value(frame.run, state, expression, (), frame.origin(node), effect=True)
        parts = []
        for place, part in enumerate(result):
            index = ast.Constant(value=place)
            item = ast.Subscript(value=name_expression(whole.name), slice=index, ctx=ast.Load())
            parts.append(_emit_part(frame, node, state, item, part))
        return TupleValue(tuple(parts))
    if result.sample is None and found.written:
        host_effect(frame.run, state, expression, frame.origin(node), may_raise=True)
        return Known(None)
    if result.sample is None:
        frame.refuse("DYCL059", node, f"{_called(name)} of run-time values gives None")
    return _emit_part(frame, node, state, expression, result, may_raise=may_raise)


def _emit_part(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    expression: ast.expr,
    part: Part,
    *,
    may_raise: bool = True,
) -> Value:
    made = host_result(
        frame, node, state, expression, part.sample, effect=True, may_raise=may_raise
    )
    if isinstance(made, HostValue):
        return replace(
            made, memory=part.memory, forward=part.forward, alike=part.alike, laid=part.laid
        )
    return made


def kind_of(found: Tried) -> type:
    """Return the type of what an operation gives."""
    if isinstance(found.result, tuple):
        return tuple
    sample = found.result.sample
    return numpy.ndarray if isinstance(sample, OpenArray) else type(sample)


def is_open(value: Value) -> bool:
    """Return whether a value is an array whose size is known only at run time."""
    return isinstance(value, HostValue) and isinstance(value.sample, OpenArray)


def is_known_array(value: Value) -> bool:
    """Return whether a value is an array that is known when compiling."""
    return isinstance(value, Known) and isinstance(value.value, numpy.ndarray)
