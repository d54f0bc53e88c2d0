"""Functions that ``torch.jit.script`` has compiled, evaluated as they are written.

They are called as they are where sizes are fixed and no tensor decides. Otherwise what they do is
read from their source, where the compiled code does nothing that Python does in another way.
"""

import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException

from rewriter.evaluation.calls.compiled_nodes import CompiledCode
from rewriter.evaluation.calls.compiled_sources import is_source_of
from rewriter.evaluation.refusals import Refused, RefusedForGood
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, ScalarValue, Value

_LARGE = 2**31
_LISTS = frozenset({"Tensor[]", "List[Tensor]"})
_READING = frozenset({
    "aten::__getitem__", "aten::cat", "aten::len", "aten::stack", "prim::ListUnpack",
})  # fmt: skip
"""What leaves a list as it is: compiled code has a list of its own, with the same tensors."""
_ADVICE = (
    "take @torch.jit.script away: what is compiled there may do something in another way than "
    "Python, or be called with other types"
)
_STATE: Any = torch.jit._state
_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool}


def tried_on_fakes(function: Callable[..., object]) -> Callable[..., object]:
    """Return what to call with fake tensors: the errors of a compiled function are not eager's.

    It raises where it looks at what a tensor holds, of which a fake one has nothing.
    """
    if isinstance(function, torch.jit.ScriptFunction):
        graph: Any = function.inlined_graph
        return partial(_run, function, reads_memory=bool(graph.findAllNodes("prim::tolist")))
    return function


def _run(
    function: Callable[..., object], *arguments: object, reads_memory: bool, **keywords: object
) -> object:
    if reads_memory:
        raise DataDependentOutputException(torch.ops.aten.item.default)
    try:
        return function(*arguments, **keywords)
    except RuntimeError as error:
        raise DataDependentOutputException(torch.ops.aten.item.default) from error


@contextmanager
def advising(function: object) -> Iterator[None]:
    """Say what can be done where a compiled function is refused."""
    try:
        yield
    except Refused as refusal:
        if isinstance(refusal, RefusedForGood) or not isinstance(
            function, torch.jit.ScriptFunction
        ):
            raise
        raise Refused(replace(refusal.diagnostic, help=_ADVICE)) from refusal


def as_written(
    frame: Frame,
    state: State,
    function: object,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Known | None:
    """Return the function that was compiled, where it is to be evaluated as it is written.

    That is where sizes are open, or where it decides by what a tensor holds.
    """
    if not isinstance(function, torch.jit.ScriptFunction):
        return None
    written = getattr(function, "_torchdynamo_inline", None)
    if not isinstance(written, types.FunctionType) or not is_source_of(written, function.graph):
        return None
    given = _by_place(written, positional, keywords)
    inputs = list(function.graph.inputs())
    if len(given) != len(inputs) or not all(map(partial(_fits, state), given, inputs)):
        return None
    singles = {x.debugName() for x, value in zip(inputs, given, strict=True) if _is_single(value)}
    has_large = any(map(_is_large, given))
    code = CompiledCode(function.graph, has_large, frozenset(singles), _called_alike(written))
    tensors = [tensor for value in given for tensor in _tensors(state, value)]
    is_open = not all(map(is_fixed, tensors)) or any(isinstance(x, ScalarValue) for x in given)
    if (
        not (is_open or code.looks_at_tensors())
        or frame.run.guarded_tensors  # an operation's error has another type there
        or not code.is_as_in_python()
    ):
        return None
    return Known(written)


def _called_alike(written: types.FunctionType) -> frozenset[str]:
    """Return the functions that a function may call, compiled, as it calls them in Python.

    What has been compiled by itself is asked where it is called.
    """
    variables = inspect.getclosurevars(written)
    found = set()
    for each in (*variables.globals.values(), *variables.nonlocals.values()):
        if isinstance(each, torch.jit.ScriptFunction):
            found.add(each.qualified_name)
        if isinstance(each, types.FunctionType) and (graph := _compiled(each)) is not None:
            code = CompiledCode(graph.graph, True, frozenset(), _called_alike(each))
            if is_source_of(each, graph.graph) and code.is_as_in_python():
                found.add(graph.qualified_name)
    return frozenset(found)


def _compiled(function: types.FunctionType) -> "torch.jit.ScriptFunction[Any, Any] | None":
    """Return what has been made of a function that compiled code calls."""
    found = _STATE._try_get_jit_cached_function(function)
    return found if isinstance(found, torch.jit.ScriptFunction) else None


def _by_place(
    written: types.FunctionType, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> list[Value]:
    """Return the arguments in the order of the parameters; none where they do not fit."""
    try:
        bound = inspect.signature(written).bind(*positional, **keywords)
    except TypeError:
        return []
    parameters = bound.signature.parameters.items()
    return [bound.arguments.get(name, Known(each.default)) for name, each in parameters]


def _fits(state: State, value: Value, parameter: torch.Value) -> bool:
    """Return whether compiled code takes an argument as Python does: it converts others."""
    name = str(parameter.type()).removeprefix("Optional[").removesuffix("]")
    match value:
        case Known(value=None):
            return str(parameter.type()).startswith("Optional[")
        case Known(value=number) if name in _TYPES:
            return type(number) is _TYPES[name]
        case ScalarValue(type=kind) if name in _TYPES:
            return kind is _TYPES[name]
        case Reference():
            tensors = _tensors(state, value)
            only_read = all(use.user.kind() in _READING for use in parameter.uses())
            return str(parameter.type()) in _LISTS and only_read and bool(tensors)
        case _:
            return tensor_of(value) is not None and name == "Tensor"


def _tensors(state: State, value: Value) -> list[torch.Tensor]:
    """Return the tensor that an argument is, or those in a list; none where others are in it."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    items = cell.items if isinstance(cell, ListCell) and cell.kind is list else (value,)
    tensors = [tensor for item in items if (tensor := tensor_of(item)) is not None]
    return tensors if len(tensors) == len(items) else []


def _is_single(value: Value) -> bool:
    tensor = tensor_of(value)
    return tensor is not None and tensor.dtype == torch.float32


def _is_large(value: Value) -> bool:
    """Return whether an argument is an integer that may be larger than sizes are."""
    match value:
        case Known(value=int() as number):
            return not -_LARGE < number < _LARGE
        case ScalarValue(type=kind):
            return kind is int
        case _:
            return False
