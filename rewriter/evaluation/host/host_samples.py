"""What host operations give, learnt by trying them on samples of their operands."""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import libcst as cst
import numpy
import torch

from rewriter.evaluation.containers.containers import describe
from rewriter.evaluation.host.host_arrays import sample_array
from rewriter.evaluation.host.host_results import sample_of, sample_of_type
from rewriter.evaluation.rendering import NotMaterial
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_CONTENTS = 16
"""How often an operation is tried, each time on samples of other content."""

_NUMBERS = (0, 0, 1, 1, 2, 3, 5)
"""Numbers of samples. Operands draw theirs apart: what they are together may tell the shape."""

Draws: TypeAlias = numpy.random.Generator | None
"""Draws the content of samples; None leaves them as they are."""

SHAPE_FROM_DATA = "the result of {}() has a shape that depends on run-time values"


def typed_result(
    frame: Frame, node: cst.CSTNode, name: str, compute: Callable[[Draws], object]
) -> object:
    """Return what a function gives of samples: its type, and the shape of an array, are certain.

    ``compute`` calls the function on samples of the content that is drawn.
    """
    results, errors = [], []
    for seed in range(_CONTENTS):
        try:
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(compute(numpy.random.default_rng(seed) if seed else None))
        except NotMaterial:
            raise
        except Exception as error:
            errors.append(error)
    if not results:
        frame.refuse("DYCL059", node, f"{name}() fails on values of these types: {errors[0]}")
    if len(set(map(_look, results))) > 1:
        frame.refuse("DYCL059", node, SHAPE_FROM_DATA.format(name))
    _refuse_unsupported(frame, node, name, results[0])
    return results[0]


def _look(result: object) -> object:
    """Return what must not depend on the content of operands."""
    if type(result) is tuple:
        return tuple(map(_look, result))
    if isinstance(result, numpy.ndarray):
        return numpy.ndarray, result.dtype, result.shape
    return type(result)


def _refuse_unsupported(frame: Frame, node: cst.CSTNode, name: str, result: object) -> None:
    if isinstance(result, numpy.ndarray) and result.dtype.hasobject:
        frame.refuse("DYCL059", node, f"{name}() gives an array of objects")
    if isinstance(result, int | float | bool | complex | str | numpy.generic | numpy.ndarray):
        return
    if type(result) is tuple and all(
        isinstance(part, int | float | bool | complex | str | numpy.generic) for part in result
    ):
        return
    if result is None:
        frame.refuse("DYCL059", node, f"{name}() of run-time values gives None")
    frame.refuse(
        "DYCL059",
        node,
        f"{name}() of run-time values gives a {type(result).__name__}, which is not supported",
    )


def sample_argument(state: State, value: Value, draws: Draws, *, as_eager: bool = False) -> Any:
    """Return a sample of an argument; for tensors, tensors in eager and arrays on the host."""
    match value:
        case TensorValue():
            array = sample_array(value.fake)
            if array is None:
                raise NotMaterial(f"a {value.fake.dtype} tensor, which numpy has none of,", value)
            array = _of_content(array, draws)
            return torch.from_numpy(array) if as_eager else array
        case TupleValue():
            return tuple(
                sample_argument(state, item, draws, as_eager=as_eager) for item in value.items
            )
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            return [sample_argument(state, item, draws, as_eager=as_eager) for item in cell.items]
        case ScalarValue() | HostValue():
            return _of_content(sample_object(state, value), draws)
        case Reference() if isinstance(state.heap[value.identity], RunTimeCell):
            return _of_length(sample_object(state, value), draws)
        case _:
            return sample_object(state, value)


def _of_length(sample: Any, draws: Draws) -> Any:
    """Return a container of a sample's type with another number of elements."""
    if draws is None or not isinstance(sample, list | tuple) or not sample:
        return sample
    return type(sample)(_of_content(sample[0], draws) for _ in range(draws.integers(1, 8)))


def _of_content(sample: Any, draws: Draws) -> Any:
    """Return an object of a sample's type with other content."""
    if draws is None or isinstance(sample, str):
        return sample
    if isinstance(sample, list | tuple):
        return type(sample)(_of_content(item, draws) for item in sample)
    if isinstance(sample, numpy.ndarray):
        return draws.choice(_NUMBERS, sample.shape).astype(sample.dtype)
    return type(sample)(int(draws.choice(_NUMBERS)))


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
