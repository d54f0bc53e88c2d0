"""Elements of type bfloat16: ONNX Runtime has kernels for few operators of them.

PyTorch computes in single precision and rounds each result. So does what is written here.
"""

from collections.abc import Iterable
from operator import getitem
from typing import Any

import torch

from dycl.backends.onnx_graphs.plain_operators import without_writing

_aten = torch.ops.aten
_Node = torch.fx.Node
_CONVERTING = frozenset(
    {
        *(_aten._to_copy.default, _aten.to.dtype, _aten.to.dtype_layout, _aten.to.other),
        *(_aten.copy.default, _aten.copy_.default, _aten.clone.default, _aten.type_as.default),
        _aten._assert_tensor_metadata.default,
    }
)
_ROUNDING = frozenset(
    {
        *(_aten.gt, _aten.ge, _aten.lt, _aten.le, _aten.eq, _aten.ne),
        *(_aten.add, _aten.sub, _aten.rsub, _aten.remainder, _aten.fmod),
    }
)
"""What rounds numbers that are given beside tensors, which others take as they are."""


def widen_short_floats(exported: torch.export.ExportedProgram) -> None:
    """Have operators take and give single precision, and round what they give, in place."""
    for node in [*exported.graph.nodes]:
        if node.op == "call_function" and node.target is not getitem and _is_concerned(node):
            _widen(node)
    exported.graph_module.recompile()


def _is_concerned(node: _Node) -> bool:
    return any(map(_is_short, (node, *node.all_input_nodes)))


def _is_short(node: _Node) -> bool:
    return any(value.dtype == torch.bfloat16 for value in _tensors(node))


def _tensors(node: _Node) -> Iterable[torch.Tensor]:
    found = node.meta.get("val")
    values = found if isinstance(found, tuple | list) else (found,)
    return [value for value in values if isinstance(value, torch.Tensor)]


def _widen(node: _Node) -> None:
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        raise NotImplementedError(f"{target} of bfloat16")
    if target in _CONVERTING or _is_view(target) or not _tensors(node):
        return
    plain = without_writing(target) if target._schema.is_mutable else target
    if plain is None:
        raise NotImplementedError(f"{target} of bfloat16")
    with node.graph.inserting_before(node):
        given = (_rounded_operands(node, plain), dict(node.kwargs))
        args, kwargs = torch.fx.map_arg(given, _single)  # type: ignore[misc]
        args = tuple(map(_wide_type, args))
        kwargs = {name: _wide_type(value) for name, value in kwargs.items()}
        made = node.graph.call_function(plain, args, kwargs)
    made.meta["val"] = torch.utils._pytree.tree_map_only(torch.Tensor, _wide, node.meta["val"])
    if target is not plain:
        node.target, node.args, node.kwargs = _aten.copy_.default, (node.args[0], made), {}
    elif isinstance(node.meta["val"], torch.Tensor):
        _round(node, made)
    else:
        for use in [*node.users]:
            assert use.target is getitem
            if _is_short(use):
                _round_element(use, made)
            else:
                use.update_arg(0, made)
        node.graph.erase_node(node)


def _is_view(target: torch._ops.OpOverload) -> bool:
    """Return whether results may share memory with operands."""
    schema = target._schema
    return not schema.is_mutable and any(each.alias_info for each in schema.returns)


def _wide(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.dtype == torch.bfloat16 else value


def _wide_type(value: Any) -> Any:
    return torch.float if value is torch.bfloat16 else value


def _single(operand: _Node) -> _Node:
    return _converted(operand, torch.float) if _is_short(operand) else operand


def _converted(operand: _Node, kind: torch.dtype) -> _Node:
    found = operand.graph.call_function(_aten._to_copy.default, (operand,), {"dtype": kind})
    found.meta["val"] = operand.meta["val"].to(kind)
    return found


def _rounded_operands(node: _Node, plain: torch._ops.OpOverload) -> tuple[Any, ...]:
    """Return operands as they are before they are computed with, in single precision."""
    if torch.bfloat16 in (*node.args[1:], *node.kwargs.values()):  # what they are converted to
        return (_rounded(node.args[0], False), *node.args[1:])
    if torch.Tag.pointwise not in plain.tags:
        return node.args
    operands = [each.meta["val"] if isinstance(each, _Node) else each for each in node.args[:2]]
    if len(operands) < 2 or torch.result_type(*operands) != torch.bfloat16:
        return node.args
    takes_numbers = plain.overloadpacket not in _ROUNDING
    return (*(_rounded(each, takes_numbers) for each in node.args[:2]), *node.args[2:])


def _rounded(operand: Any, takes_numbers: bool) -> Any:
    if isinstance(operand, _Node):
        value = operand.meta["val"]
        if _is_short(operand) or value.dtype == torch.bool or (takes_numbers and not value.dim()):
            return operand
        return _converted(operand, torch.bfloat16)
    if takes_numbers or not isinstance(operand, int | float):
        return operand
    return torch.tensor(float(operand)).bfloat16().item()


def _round(node: _Node, made: _Node) -> None:
    node.target, node.args = _aten._to_copy.default, (made,)
    node.kwargs = {"dtype": node.meta["val"].dtype}


def _round_element(use: _Node, made: _Node) -> None:
    with use.graph.inserting_before(use):
        element = use.graph.call_function(getitem, (made, use.args[1]))
    element.meta["val"] = use.meta["val"].float()
    _round(use, element)
