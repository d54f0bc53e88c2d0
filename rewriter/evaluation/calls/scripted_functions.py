"""Functions that ``torch.jit.script`` has compiled, evaluated as they are written.

At fixed sizes they are called as they are. Sizes of run time they take for numbers, so what they do
is read from their source, where the compiled code is a straight line of the same operations.
"""

import functools
import types
from collections.abc import Callable, Sequence

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException

from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.size_expressions import is_fixed
from rewriter.values import Known, Value

_PLAIN = frozenset(
    {
        "prim::Constant",
        "prim::ListConstruct",
        "prim::ListUnpack",
        "prim::TupleConstruct",
        "prim::TupleUnpack",
        "aten::IntImplicit",
        "aten::dim",
        "aten::size",
    }
)
"""What gives no tensor, and the same in Python; arithmetic on numbers may differ there."""

_TENSORS = frozenset({"Tensor", "Tensor[]"})


def tried_on_fakes(function: Callable[..., object]) -> Callable[..., object]:
    """Return what to call with fake tensors: the errors of a compiled function are not eager's.

    It raises where it looks at what a tensor holds, of which a fake one has nothing.
    """
    if isinstance(function, torch.jit.ScriptFunction):
        return functools.partial(_run, function)
    return function


def _run(function: Callable[..., object], *arguments: object, **keywords: object) -> object:
    try:
        return function(*arguments, **keywords)
    except RuntimeError as error:
        raise DataDependentOutputException(torch.ops.aten.item.default) from error


def as_written(frame: Frame, function: object, given: Sequence[Value]) -> Known | None:
    """Return the function that was compiled, where it is to be evaluated as it is written."""
    if not isinstance(function, torch.jit.ScriptFunction):
        return None
    tensors = [tensor_of(value) for value in given]
    written = getattr(function, "_torchdynamo_inline", None)
    if (
        isinstance(written, types.FunctionType)
        and not frame.run.guarded_tensors  # an operation's error has another type there
        and not all(tensor is None or is_fixed(tensor) for tensor in tensors)
        and None not in tensors
        and _is_straight(function.graph, len(tensors))
    ):
        return Known(written)
    return None


def _is_straight(graph: torch.Graph, count: int) -> bool:
    """Return whether a graph only takes and computes tensors, in a straight line."""
    inputs = [str(value.type()) for value in graph.inputs()]
    return inputs == ["Tensor"] * count and all(map(_is_plain, graph.nodes()))


def _is_plain(node: torch.Node) -> bool:
    results = {str(value.type()) for value in node.outputs()}
    computed = node.kind().startswith("aten::") and results <= _TENSORS
    return node.kind() in _PLAIN or computed
