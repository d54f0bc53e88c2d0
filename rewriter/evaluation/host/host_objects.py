"""Pure functions and methods over run-time host values: ``math.sqrt(p)``, ``np.argmax(a)``."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy

from rewriter.evaluation.host.array_elements import array_item
from rewriter.evaluation.host.host_arrays import element_list, host_argument
from rewriter.evaluation.host.host_results import host_result
from rewriter.evaluation.host.host_samples import (
    SHAPE_FROM_DATA,
    Draws,
    sample_argument,
    sample_object,
    typed_result,
)
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.rendering import (
    NotMaterial,
    call_expression,
    render,
    render_call,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
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

_SHAPE_FROM_DATA = frozenset(
    {"nonzero", "flatnonzero", "argwhere", "unique", "extract", "compress", "trim_zeros", "union1d",
     "intersect1d", "setdiff1d", "setxor1d", "delete", "bincount", "histogram", "roots", "arange",
     "zeros", "ones", "empty"}
)  # fmt: skip
"""What gives as much as its operands say or have in common: samples may not show it."""

_CHANGING_METHODS = frozenset(
    {"sort", "fill", "resize", "put", "itemset", "partition", "setflags", "setfield", "byteswap"}
)


def call_on_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a pure library function where some argument is known only at run time."""
    name = getattr(function.value, "__name__", "")
    if "out" in keywords:
        frame.refuse("DYCL059", node, f"{name}(out=...) on the host is not supported")
    arguments = (positional, keywords)
    if _is_numpy(function.value):
        positional = [host_argument(frame, node, state, value) for value in positional]
        keywords = {
            key: host_argument(frame, node, state, value) for key, value in keywords.items()
        }
    elif any(isinstance(value, TensorValue) for value in _flat(state, positional, keywords)):
        frame.refuse(
            "DYCL059", node, f"{name}() of a run-time tensor: take its number with .item() first"
        )
    values = [*positional, *keywords.values()]
    try:
        expression = render_call(
            frame.run, state, render(frame.run, state, function), positional, keywords
        )
        call = function.value
        sample = _sample_call(frame, node, state, name, call, positional, keywords)
        # numpy's functions ask a tensor itself first, which may answer with a tensor
        in_eager = _sample_call(frame, node, state, name, call, *arguments, as_eager=True)
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is passed to {name}")
    if type(in_eager) is not type(sample):
        frame.refuse(
            "DYCL059",
            node,
            f"{name}() of a tensor is a {type(in_eager).__name__} and no numpy value: "
            "take the tensor's .numpy() first",
        )
    result = host_result(frame, node, state, expression, sample, effect=True)
    searches = any(function.value is known for known in (numpy.argmax, numpy.argmin))
    sized = len(values) == 1 and not is_run_time(state, values[0])
    if searches and sized and isinstance(result, ScalarValue):
        # a position in the whole array
        searched = sample_argument(state, values[0], None)
        frame.run.ranges[result.name] = range(numpy.size(searched))
    yield state, result


def _is_numpy(function: object) -> bool:
    module = getattr(function, "__module__", None) or type(function).__module__
    return isinstance(function, numpy.ufunc) or str(module).partition(".")[0] == "numpy"


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


def _sample_call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    function: Any,
    positional: list[Value],
    keywords: dict[str, Value],
    *,
    as_eager: bool = False,
) -> object:
    """Call the function on samples to learn the type (and array shape) of its result."""

    def compute(draws: Draws) -> object:
        arguments = [sample_argument(state, v, draws, as_eager=as_eager) for v in positional]
        named = {
            key: sample_argument(state, value, draws, as_eager=as_eager)
            for key, value in keywords.items()
        }
        return function(*arguments, **named)

    if name in _SHAPE_FROM_DATA:
        frame.refuse("DYCL059", node, SHAPE_FROM_DATA.format(name))
    return typed_result(frame, node, name, compute)


def host_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, name: str
) -> Outcomes:
    """Evaluate an attribute of a run-time host value."""
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
    receiver: ScalarValue | HostValue,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method of a run-time host value."""
    sample = sample_object(state, receiver)
    is_array = isinstance(sample, numpy.ndarray)
    if (is_array and name in _CHANGING_METHODS) or not isinstance(
        sample, numpy.ndarray | numpy.generic | str | int | float
    ):
        frame.refuse("DYCL059", node, f"method {name!r} of a run-time {type(sample).__name__}")
    if is_array and name == "tolist":
        yield from _array_list(frame, node, state, receiver, sample)
        return
    if isinstance(sample, str):
        yield from text_method(frame, node, state, receiver, name, positional, keywords)
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

        result = _sample_call(frame, node, state, name, called, [receiver, *positional], keywords)
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is passed to {name}")
    yield state, host_result(frame, node, state, expression, result, effect=True)


def _array_list(
    frame: Frame, node: cst.CSTNode, state: State, receiver: ScalarValue | HostValue, sample: Any
) -> Outcomes:
    expression = call_expression(
        ast.Attribute(value=render(frame.run, state, receiver), attr="tolist", ctx=ast.Load()), []
    )
    kind = type(sample.reshape(-1)[:1].tolist()[0]) if sample.size else float
    whole = host_value(frame.run, state, expression, [], frame.origin(node))
    name = ast.Name(id=whole.name, ctx=ast.Load())
    yield state, element_list(frame, state, name, sample.shape, kind, node)


def host_item(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, index: Value
) -> Outcomes:
    """Evaluate ``value[index]`` of a run-time array or string."""
    sample = sample_object(state, value)
    if isinstance(value, HostValue) and isinstance(sample, numpy.ndarray):
        yield from array_item(frame, node, state, value, index)
    elif isinstance(sample, str):
        yield from text_item(frame, node, state, value, index)
    else:
        frame.refuse("DYCL059", node, f"a run-time {type(sample).__name__} is indexed")
