"""Pure functions and methods over run-time host values: ``math.sqrt(p)``, ``np.argmax(a)``."""

import ast
import functools
import math
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy

from rewriter.array_samples import OpenArray, is_array
from rewriter.evaluation.calls.library import is_numpy
from rewriter.evaluation.host.array_attributes import array_attribute
from rewriter.evaluation.host.array_elements import array_item
from rewriter.evaluation.host.array_lists import array_list
from rewriter.evaluation.host.array_memory import is_host_array
from rewriter.evaluation.host.empty_lists import by_emptiness
from rewriter.evaluation.host.host_arrays import host_argument
from rewriter.evaluation.host.host_results import host_result
from rewriter.evaluation.host.host_samples import (
    Trial,
    sample_argument,
    sample_converted,
    sample_object,
)
from rewriter.evaluation.host.index_tricks import is_trick
from rewriter.evaluation.host.plain_numbers import by_floats
from rewriter.evaluation.host.trying_functions import Tried, emit_tried, is_open, kind_of, tried
from rewriter.evaluation.operators.quotients import relation_of_integers, rounded
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial, render, render_call, render_index
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.tensors.size_relations import decided
from rewriter.evaluation.text.run_time_text import text_item, text_method
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    MethodValue,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_RESHAPING_METHODS = frozenset({"resize", "setflags", "setfield", "byteswap"})
"""Methods of arrays that change more than elements."""


def call_on_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    filled: frozenset[str] = frozenset(),
) -> Outcomes:
    """Call a pure library function where some argument is known only at run time.

    The lists of the host in ``filled`` are not empty.
    """
    name = getattr(function.value, "__name__", "")
    owner = getattr(function.value, "__self__", None)
    if isinstance(owner, numpy.ndarray):
        known = Known(owner)
        yield from call_host_method(frame, node, state, known, name, positional, keywords)
        return
    arguments = (positional, keywords)
    has_tensor = any(isinstance(v, TensorValue) for v in _flat(state, positional, keywords))
    if is_numpy(function.value):
        positional = [host_argument(frame, node, state, value) for value in positional]
        keywords = {
            key: host_argument(frame, node, state, value) for key, value in keywords.items()
        }
    elif has_tensor:
        frame.refuse(
            "DYCL059", node, f"{name}() of a run-time tensor: take its number with .item() first"
        )
    if isinstance(owner, str):
        yield from text_method(frame, node, state, Known(owner), name, positional, keywords)
        return
    values = [*positional, *keywords.values()]
    try:
        expression = _call_text(frame, state, function, positional, keywords)
        call = function.value
        try:
            found = _tried_call(frame, node, state, name, call, positional, keywords, filled=filled)
        except Refused:
            given = (frame, node, state, function, positional, keywords, filled)
            forked = by_emptiness(*given) or by_floats(*given)
            if forked is None:
                raise
            yield from forked
            return
        if has_tensor:
            # numpy's functions ask a tensor itself first, which may answer with a tensor
            in_eager = _tried_call(frame, node, state, name, call, *arguments, as_eager=True)
            _refuse_unlike(frame, node, name, found, in_eager)
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is passed to {name}")
    result = emit_tried(frame, node, state, name, expression, found)
    searches = any(function.value is known for known in (numpy.argmax, numpy.argmin))
    sized = len(values) == 1 and not is_run_time(state, values[0])
    if searches and sized and isinstance(result, ScalarValue) and not is_open(values[0]):
        # a position in the whole array
        searched = sample_argument(state, values[0], Trial())
        frame.run.ranges[result.name] = range(numpy.size(searched))
    yield state, rounded(frame.run, state, function.value, values, result)


def _call_text(
    frame: Frame, state: State, function: Known, positional: list[Value], keywords: dict[str, Value]
) -> ast.expr:
    """Return the expression of a call, which is spelled ``np.r_[a, b]`` where brackets do it."""
    owner = getattr(function.value, "__self__", None)
    if is_trick(owner):
        place = render_index(frame.run, state, positional[0])
        return ast.Subscript(
            value=render(frame.run, state, Known(owner)), slice=place, ctx=ast.Load()
        )
    text = render(frame.run, state, function)
    return render_call(frame.run, state, text, positional, keywords)


def _refuse_unlike(
    frame: Frame, node: cst.CSTNode, name: str, found: Tried, in_eager: Tried
) -> None:
    """Refuse what gives another type of object of tensors than of arrays."""
    if kind_of(in_eager) is not kind_of(found):
        frame.refuse(
            "DYCL059",
            node,
            f"{name}() of a tensor is a {kind_of(in_eager).__name__} and no numpy value: "
            "take the tensor's .numpy() first",
        )


def _flat(state: State, positional: list[Value], keywords: dict[str, Value]) -> Iterator[Value]:
    pending = [*positional, *keywords.values()]
    while pending:
        match value := pending.pop():
            case TupleValue():
                pending += value.items
            case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
                pending += cell.items
            case Reference() if isinstance(cell := state.heap[value.identity], DictCell):
                pending += cell.items.values()
            case _:
                yield value


_OF_FLOATS = (
    math.exp, math.expm1, math.log, math.log1p, math.log2, math.log10, math.sqrt, math.fabs,
    math.sin, math.cos, math.tan, math.tanh, math.atan, math.atan2, math.erf, math.hypot,
    math.isnan, math.isinf, math.isfinite,
)  # fmt: skip
"""What gives a float, or whether it is so, of any number."""


def _tried_call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    function: Any,
    positional: list[Value],
    keywords: dict[str, Value],
    *,
    as_eager: bool = False,
    filled: frozenset[str] = frozenset(),
) -> Tried:
    """Call the function on samples to learn what it gives, and writes to."""
    # what converts its arguments to floats does not look at their types
    converts = any(function is known for known in _OF_FLOATS)
    sample = sample_converted if converts else sample_argument
    sample = functools.partial(sample, as_eager=True) if as_eager else sample

    def compute(trial: Trial) -> object:
        arguments = [sample(state, value, trial) for value in positional]
        named = {key: sample(state, value, trial) for key, value in keywords.items()}
        return function(*arguments, **named)

    return tried(frame, node, state, name, compute, filled)


def host_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, name: str
) -> Outcomes:
    """Evaluate an attribute of a run-time host value."""
    if is_host_array(value):
        assert isinstance(value, HostValue)
        yield state, array_attribute(frame, node, state, value, name)
        return
    sample = sample_object(state, value)
    try:
        found = getattr(sample, name)
    except AttributeError as error:
        frame.run.raise_known(state, error)
        return
    if callable(found):
        yield state, MethodValue(value, name)
    elif name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes"):
        yield state, Known(found)
    elif name in ("real", "imag", "T"):
        expression = ast.Attribute(value=render(frame.run, state, value), attr=name, ctx=ast.Load())
        yield state, host_result(frame, node, state, expression, found, effect=False)
    else:
        frame.refuse("DYCL059", node, f"attribute {name!r} of a run-time value")


def call_host_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: ScalarValue | HostValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method of a run-time host value, or of a known array."""
    sample = sample_object(state, receiver)
    if (is_array(sample) and name in _RESHAPING_METHODS) or not isinstance(
        sample, numpy.ndarray | OpenArray | numpy.generic | str | int | float
    ):
        frame.refuse("DYCL059", node, f"method {name!r} of a run-time {type(sample).__name__}")
    if isinstance(receiver, HostValue) and is_array(sample) and name == "tolist":
        yield from array_list(frame, node, state, receiver)
        return
    if isinstance(sample, str):
        yield from text_method(frame, node, state, receiver, name, positional, keywords)
        return
    relation = relation_of_integers(frame.run, state, receiver) if name == "is_integer" else None
    truth = None if relation is None else decided(frame.run, state, relation)
    if truth is not None:
        yield state, Known(truth)
        return
    try:
        expression = render_call(
            frame.run,
            state,
            ast.Attribute(value=render(frame.run, state, receiver), attr=name, ctx=ast.Load()),
            positional,
            keywords,
        )

        def called(owner: Any, *arguments: object, **named: object) -> object:
            return getattr(owner, name)(*arguments, **named)

        found = _tried_call(frame, node, state, name, called, [receiver, *positional], keywords)
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is passed to {name}")
    result = emit_tried(frame, node, state, name, expression, found)
    if relation is not None and isinstance(result, ScalarValue):
        frame.run.relations[result.name] = relation
    yield state, result


def host_item(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, index: Value
) -> Outcomes:
    """Evaluate ``value[index]`` of a run-time array or string."""
    sample = sample_object(state, value)
    if is_array(sample):
        yield from array_item(frame, node, state, value, index)
    elif isinstance(sample, str):
        yield from text_item(frame, node, state, value, index)
    else:
        frame.refuse("DYCL059", node, f"a run-time {type(sample).__name__} is indexed")
