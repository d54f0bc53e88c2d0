"""``numpy.argmax`` and ``numpy.argmin`` of a list of numbers, some of which may be NaN."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from dycl.one_onnx.graphs import GraphWriter, Value
from rewriter.program import KnownReference, TensorSpec, Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Extreme:
    """Which of some tensors, of one element each and one type, is the largest or smallest."""

    largest: bool
    tensors: tuple[str, ...]


def extreme_of(
    expression: ast.expr, variables: Mapping[str, Variable], knowns: Mapping[str, KnownReference]
) -> Extreme | None:
    """Return what ``numpy.argmax([a, b])`` asks for; None for anything else."""
    match expression:
        case ast.Call(
            func=ast.Name(id=function), args=[ast.List(elts=items) | ast.Tuple(elts=items)],
            keywords=[],
        ) if function in knowns and items:  # fmt: skip
            called = knowns[function].value
        case _:
            return None
    names = [item.id for item in items if isinstance(item, ast.Name) and item.id in variables]
    specs = [variables[name].spec for name in names]
    tensors = [spec for spec in specs if isinstance(spec, TensorSpec)]
    single = all(size == 1 for spec in tensors for size in spec.shape)
    kinds = {spec.dtype for spec in tensors if spec.dtype.is_floating_point}
    if called not in (np.argmax, np.argmin) or not single or len(kinds) != 1:
        return None
    if len(tensors) != len(items) or any(spec.dtype not in kinds for spec in tensors):
        return None
    return Extreme(largest=called is np.argmax, tensors=tuple(names))


def write_extreme(largest: bool, tensors: Sequence[Value], writer: GraphWriter) -> Value:
    """Return the position of the first extreme, or of the first NaN, as numpy does."""
    element, count = tensors[0].element, len(tensors)
    one = writer.constant([1], np.int64)
    rows = [writer.add("Reshape", t, one, element=element, shape=(1,)) for t in tensors]
    whole = writer.add("Concat", *rows, element=element, shape=(count,), axis=0)
    nan = writer.add("IsNaN", whole, element=TensorProto.BOOL, shape=(count,))
    marks = writer.add("Cast", nan, element=TensorProto.INT32, shape=(count,), to=TensorProto.INT32)
    most = writer.add("ReduceMax", marks, element=TensorProto.INT32, keepdims=0)
    any_nan = writer.add("Cast", most, element=TensorProto.BOOL, to=TensorProto.BOOL)
    positions = [
        writer.add(operator, of, element=TensorProto.INT64, axis=0, keepdims=0)
        for operator, of in (("ArgMax", marks), ("ArgMax" if largest else "ArgMin", whole))
    ]
    return writer.add("Where", any_nan, *positions, element=TensorProto.INT64)
