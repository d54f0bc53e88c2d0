"""Functions that ``torch.jit.script`` has compiled, evaluated as they are written.

They are called as they are where sizes are fixed and no tensor decides. Otherwise what they do is
read from their source, where the compiled code does nothing that Python does in another way.
"""

import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException

from rewriter.evaluation.calls.compiled_sources import is_source_of
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.size_expressions import is_fixed
from rewriter.values import Known, ScalarValue, Value

_PLAIN = frozenset({
    "prim::CallFunction", "prim::Constant", "prim::If", "prim::ListConstruct", "prim::ListUnpack",
    "prim::TupleConstruct", "prim::TupleIndex", "prim::TupleUnpack",
    "prim::Uninitialized", "prim::unchecked_cast", "aten::IntImplicit", "aten::__getitem__",
    "aten::__is__", "aten::__isnot__", "aten::__not__", "aten::dim", "aten::len", "aten::numel",
    "aten::size",
})  # fmt: skip
"""What gives no tensor, and the same in Python."""
_COMPARING = frozenset(f"aten::{name}" for name in ("lt", "le", "gt", "ge", "eq", "ne"))
_FOLDED = frozenset({"aten::eq", "aten::ne"})
_COUNTING = frozenset({"aten::add", "aten::sub"})
_COMPUTING = frozenset({"aten::mul", "aten::floordiv", "aten::remainder", "aten::neg"}) | _COUNTING
"""The same for integers as large as sizes: those of compiled code have 64 bits."""
_LOOKING = frozenset({"aten::Bool", "aten::Float", "aten::Int"})
_INTEGERS = frozenset({"aten::Int", "aten::IntImplicit"})
_TENSORS = frozenset({"Tensor", "Tensor[]", "List[Tensor]"})
_FUNCTIONAL = "__torch__.torch.nn.functional."
_LARGE = 2**31
_CHANGING = frozenset(f"aten::{name}" for name in ("add_", "append", "pop", "_set_item"))
_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool}


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


def as_written(
    frame: Frame, function: object, positional: Sequence[Value], keywords: Mapping[str, Value]
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
    inputs = [str(each.type()) for each in function.graph.inputs()]
    if len(given) != len(inputs) or not all(map(_fits, given, inputs)):
        return None
    given_back = [str(each.type()) for each in function.graph.outputs()]
    if any("List[int]" in each or "__torch__" in each for each in given_back):
        return None  # a size of Python's is a tuple, and a tuple with names has another class
    nodes = list(_nodes(function.graph, in_loop=False))
    looks = any(node.kind() in _LOOKING for node, _ in nodes)
    has_large = any(node.kind() in _INTEGERS for node, _ in nodes) or any(map(_is_large, given))
    tensors = [tensor_of(value) for value in given]
    is_open = not all(tensor is None or is_fixed(tensor) for tensor in tensors)
    if (
        not (is_open or looks)
        or frame.run.guarded_tensors  # an operation's error has another type there
        or not all(_is_as_in_python(node, in_loop, has_large) for node, in_loop in nodes)
    ):
        return None
    return Known(written)


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


def _fits(value: Value, name: str) -> bool:
    """Return whether compiled code takes an argument as Python does: it converts others."""
    match value:
        case Known(value=None):
            return name.startswith("Optional[")
        case Known(value=number) if name in _TYPES:
            return type(number) is _TYPES[name]
        case ScalarValue(type=kind) if name in _TYPES:
            return kind is _TYPES[name]
        case _:
            return tensor_of(value) is not None and name in ("Tensor", "Optional[Tensor]")


def _is_large(value: Value) -> bool:
    """Return whether an argument is an integer that may be larger than sizes are."""
    match value:
        case Known(value=int() as number):
            return not -_LARGE < number < _LARGE
        case ScalarValue(type=kind):
            return kind is int
        case _:
            return False


def _nodes(block: torch.Graph | torch.Block, *, in_loop: bool) -> Iterator[tuple[torch.Node, bool]]:
    """Yield what compiled code does, and whether it does it in a loop."""
    for node in block.nodes():
        yield node, in_loop
        for inner in node.blocks():
            yield from _nodes(inner, in_loop=in_loop or node.kind() == "prim::Loop")


def _is_as_in_python(node: torch.Node, in_loop: bool, has_large: bool) -> bool:
    """Return whether what compiled code does is what Python does, with the same result.

    ``has_large`` says whether there are integers that may be larger than sizes are.
    """
    kind = node.kind()
    if kind == "prim::CallFunction":
        return str(node.inputsAt(0).type()).startswith(_FUNCTIONAL)
    if kind == "prim::Loop":
        return not _may_change_what_it_walks(node)
    if kind in _PLAIN or (kind.startswith("aten::") and _gives_tensors(node)):
        return True
    numbers = {str(value.type()) for value in node.inputs()}
    constants = [x.toIValue() for x in node.inputs() if x.node().kind() == "prim::Constant"]
    if kind in _COMPARING:  # two numbers that are one are taken for equal, also a NaN
        folded = kind in _FOLDED and "float" in numbers and not constants
        return numbers <= _TYPES.keys() and not folded
    if kind not in _COMPUTING or numbers != {"int"}:
        return kind in _LOOKING and numbers == {"Tensor"}
    if not all(isinstance(each, int) and -_LARGE < each < _LARGE for each in constants):
        return False
    return bool(constants) and kind in _COUNTING if in_loop else not has_large


def _gives_tensors(node: torch.Node) -> bool:
    return {str(value.type()) for value in node.outputs()} <= _TENSORS


def _may_change_what_it_walks(loop: torch.Node) -> bool:
    """Return whether a loop over a list may change it: compiled code asks for its length once."""
    length = next(loop.inputs()).node()
    walked = next(length.inputs()) if length.kind() == "aten::len" else None
    if walked is None or str(walked.type()) not in _TENSORS - {"Tensor"}:
        return False
    (body,) = loop.blocks()
    changed = [next(each.inputs()) for each, _ in _nodes(body, in_loop=True) if _changes_list(each)]
    return any(
        one.debugName() == walked.debugName() or not (_is_new_list(one) and _is_new_list(walked))
        for one in changed
    )


def _changes_list(node: torch.Node) -> bool:
    kinds = {str(value.type()) for value in node.outputs()}
    inputs = [str(value.type()) for value in node.inputs()]
    is_given = bool(inputs) and inputs[0] in _TENSORS - {"Tensor"}
    return is_given and (node.kind() in _CHANGING or not kinds)


def _is_new_list(value: torch.Value) -> bool:
    kind = value.node().kind()
    return kind == "prim::ListConstruct" or (kind.startswith("aten::") and not kind.endswith("_"))
