"""Operators of types that the exporter does not think of, written as others that it has."""

from collections.abc import Callable
from math import prod
from operator import getitem
from typing import Any

import torch

_aten = torch.ops.aten
_ROUNDING = frozenset(
    operator.default for operator in (_aten.floor, _aten.ceil, _aten.trunc, _aten.fix, _aten.round)
)
_EITHER: dict[Any, Callable[..., Any]] = {
    _aten.add.Tensor: _aten.logical_or.default,
    _aten.add_.Tensor: _aten.logical_or_.default,
}
_ALL_TRUE: dict[Any, Callable[..., Any]] = {
    _aten.add.Tensor: _aten.full_like.default,
    _aten.add_.Tensor: _aten.fill_.Scalar,
}
_SHIFTS: dict[Any, Callable[..., Any]] = {
    _aten.__lshift__.Tensor: _aten.bitwise_left_shift.Tensor,
    _aten.__lshift__.Scalar: _aten.bitwise_left_shift.Tensor_Scalar,
    _aten.__rshift__.Tensor: _aten.bitwise_right_shift.Tensor,
    _aten.__rshift__.Scalar: _aten.bitwise_right_shift.Tensor_Scalar,
    _aten.__ilshift__.Tensor: _aten.bitwise_left_shift_.Tensor,
    _aten.__ilshift__.Scalar: _aten.bitwise_left_shift_.Tensor_Scalar,
    _aten.__irshift__.Tensor: _aten.bitwise_right_shift_.Tensor,
    _aten.__irshift__.Scalar: _aten.bitwise_right_shift_.Tensor_Scalar,
}
_COMPARING = frozenset(
    getattr(getattr(_aten, name + mark), overload)
    for name in ("gt", "ge", "lt", "le", "eq", "ne")
    for mark in ("", "_")
    for overload in ("Tensor", "Scalar")
)
_ASKING = frozenset(operator.default for operator in (_aten.isnan, _aten.isinf, _aten.isfinite))
_JOINING = frozenset(
    operator.default
    for operator in (_aten.stack, _aten.hstack, _aten.vstack, _aten.dstack, _aten.column_stack)
)


_POOLING: dict[Any, int] = {_aten.avg_pool2d.default: 2, _aten.avg_pool3d.default: 3}


def reword(exported: torch.export.ExportedProgram) -> None:
    """Write such operators otherwise, in place."""
    for node in [*exported.graph.nodes]:
        rule = _RULES.get(node.target)
        if rule is not None:
            rule(node)
    exported.graph_module.recompile()


def _round(node: torch.fx.Node) -> None:
    """Leave integers as they are."""
    if not _given(node).dtype.is_floating_point:
        node.target, node.kwargs = _aten.clone.default, {}


def _add(node: torch.fx.Node) -> None:
    """Take the sum of truths for what is true of either."""
    if node.meta["val"].dtype != torch.bool or node.kwargs:
        return
    first, other = node.args
    if other is True:
        node.target, node.args = _ALL_TRUE[node.target], (first, True)
    elif other is False or isinstance(other, torch.fx.Node):
        node.target, node.args = _EITHER[node.target], (first, other or first)


def _sum(node: torch.fx.Node) -> None:
    """Sum integers, none of which is NaN, as ``sum`` does."""
    if not _given(node).dtype.is_floating_point:
        named = dict(zip(("self", "dim", "keepdim"), node.args, strict=False)) | node.kwargs
        operand, kind = named.pop("self"), named.pop("dtype", None)
        sizes = named.get("dim"), named.get("keepdim", False)
        node.target, node.args = _aten.sum.dim_IntList, (operand, *sizes)
        node.kwargs = {} if kind is None else {"dtype": kind}


def _count(node: torch.fx.Node) -> None:
    """Make integers of the truths that are divided by a number, or raised to its power."""
    operand, kind = node.args[0], node.meta["val"].dtype
    if _given(node).dtype == torch.bool:
        assert isinstance(operand, torch.fx.Node)
        node.update_arg(0, _converted(node, operand, kind))


def _divide(node: torch.fx.Node) -> None:
    """Give what is divided, and the number by which, the type of the quotient."""
    kind = node.meta["val"].dtype
    if not kind.is_floating_point and isinstance(node.args[0], torch.fx.Node):
        _count(node)
    elif not any(map(_is_size, node.args)):
        node.target = _aten.floor_divide.default
        _align(node)
        if not isinstance(node.args[1], torch.fx.Node):
            node.update_arg(1, _number(node, node.args[1], kind))


def _is_size(operand: object) -> bool:
    return isinstance(operand, torch.fx.Node) and not isinstance(operand.meta["val"], torch.Tensor)


def _align(node: torch.fx.Node) -> None:
    """Give both operands the type of the result, and a number a tensor where it comes first."""
    kind = node.meta["val"].dtype
    if kind == torch.bool or kind.is_complex or any(map(_is_size, node.args)):
        return
    for place, operand in enumerate(node.args[:2]):
        if isinstance(operand, torch.fx.Node):
            node.update_arg(place, _converted(node, operand, kind))
        elif place == 0 and _fits(operand, kind):
            node.update_arg(place, _number(node, operand, kind))


def _fits(number: Any, kind: torch.dtype) -> bool:
    if kind.is_floating_point:
        return True
    bounds = torch.iinfo(kind)
    return bool(bounds.min <= number <= bounds.max)


def _number(node: torch.fx.Node, number: Any, kind: torch.dtype) -> torch.fx.Node:
    with node.graph.inserting_before(node):
        found = node.graph.call_function(_aten.full.default, ([], number), {"dtype": kind})
    found.meta["val"] = node.meta["val"].new_empty((), dtype=kind)
    return found


def _compare(node: torch.fx.Node) -> None:
    """Compare in the type that both have together, which numbers are rounded to as well."""
    if any(map(_is_size, node.args)):
        return
    kind = torch.result_type(*(_value(operand) for operand in node.args))
    target = node.target
    is_written = isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable
    if is_written and _given(node).dtype != kind:
        return
    for place, operand in enumerate(node.args):
        if isinstance(operand, torch.fx.Node):
            node.update_arg(place, _converted(node, operand, kind))
        elif kind.is_floating_point and isinstance(operand, int | float):
            rounded = torch.tensor(float(operand), dtype=torch.double).to(kind).item()
            node.update_arg(place, rounded)


def _value(operand: Any) -> Any:
    return operand.meta["val"] if isinstance(operand, torch.fx.Node) else operand


def _join(node: torch.fx.Node) -> None:
    """Give tensors of several types the type of the result before they are joined."""
    kind = node.meta["val"].dtype
    tensors = node.args[0]
    assert isinstance(tensors, list)
    node.update_arg(0, [_converted(node, tensor, kind) for tensor in tensors])


def _converted(node: torch.fx.Node, tensor: torch.fx.Node, kind: torch.dtype) -> torch.fx.Node:
    if tensor.meta["val"].dtype == kind:
        return tensor
    with node.graph.inserting_before(node):
        found = node.graph.call_function(_aten._to_copy.default, (tensor,), {"dtype": kind})
    found.meta["val"] = tensor.meta["val"].to(kind)
    return found


def _mean(node: torch.fx.Node) -> None:
    """Convert what the mean is of, not in it: the exporter does not know the shape of that."""
    kind = node.kwargs.get("dtype")
    if isinstance(kind, torch.dtype):
        operand = node.args[0]
        assert isinstance(operand, torch.fx.Node)
        node.update_arg(0, _converted(node, operand, kind))
        node.kwargs = {name: given for name, given in node.kwargs.items() if name != "dtype"}


def _cross(node: torch.fx.Node) -> None:
    """Say the dimension of a cross product, which is the first of three where none is given."""
    named = dict(zip(("self", "other", "dim"), node.args, strict=False)) | node.kwargs
    if named.get("dim") is None:
        named["dim"] = [*node.meta["val"].shape].index(3)
        node.args, node.kwargs = (named.pop("self"), named.pop("other")), named


def _shift(node: torch.fx.Node) -> None:
    """Name the shift of integers as the exporter knows it."""
    if not _given(node).dtype.is_floating_point:
        node.target = _SHIFTS[node.target]


def _norm(node: torch.fx.Node) -> None:
    """Say which dimensions are kept, where all are meant."""
    named = dict(zip(("self", "ord", "dim", "keepdim"), node.args, strict=False)) | node.kwargs
    if named.get("keepdim") and not named.get("dim"):
        named["dim"] = list(range(_given(node).dim()))
        node.args, node.kwargs = (named.pop("self"),), named


def _pool(node: torch.fx.Node) -> None:
    """Take a mean over another number than that of a window's elements for a multiple of it."""
    names = [argument.name for argument in node.target._schema.arguments]  # type: ignore[union-attr]
    named = dict(zip(names, node.args, strict=False)) | node.kwargs
    divisor = named.pop("divisor_override", None)
    if divisor is None or named.get("ceil_mode"):
        return
    named["count_include_pad"] = True
    size = named["kernel_size"]
    assert isinstance(size, list) and isinstance(divisor, int)
    count = prod(size) if len(size) > 1 else size[0] ** _POOLING[node.target]
    with node.graph.inserting_before(node):
        mean = node.graph.call_function(node.target, (named.pop("self"),), named)  # type: ignore[arg-type]
    mean.meta["val"] = node.meta["val"]
    node.target, node.args, node.kwargs = _aten.mul.Tensor, (mean, count / divisor), {}


def _normalize_groups(node: torch.fx.Node) -> None:
    """Name the normalization of doubles as one that is translated, where sizes are known."""
    names = ("input", "num_groups", "weight", "bias", "eps")
    named: dict[str, Any] = dict(zip(names, node.args, strict=False)) | node.kwargs
    given = _given(node)
    if given.dtype != torch.double or not all(isinstance(size, int) for size in given.shape):
        return
    rows, channels, *sizes = given.shape
    arguments = (*map(named.get, ("input", "weight", "bias")), rows, channels, prod(sizes))
    with node.graph.inserting_before(node):
        target = _aten.native_group_norm.default
        settings = (named["num_groups"], named.get("eps", 1e-5))
        results = node.graph.call_function(target, (*arguments, *settings))
    means = given.new_empty(rows, named["num_groups"])
    results.meta["val"] = (node.meta["val"], means, means)
    node.target, node.args, node.kwargs = getitem, (results, 0), {}


def _ask(node: torch.fx.Node) -> None:
    """Answer for integers what they never are: NaN or infinite."""
    if not _given(node).dtype.is_floating_point and not _given(node).dtype.is_complex:
        node.args = (node.args[0], node.target is _aten.isfinite.default)
        node.target, node.kwargs = _aten.full_like.default, {"dtype": torch.bool}


def _given(node: torch.fx.Node) -> torch.Tensor:
    operand = node.args[0]
    assert isinstance(operand, torch.fx.Node)
    found = operand.meta["val"]
    assert isinstance(found, torch.Tensor)
    return found


_RULES: dict[Any, Callable[[torch.fx.Node], None]] = {
    **dict.fromkeys(_ROUNDING, _round),
    **dict.fromkeys(_JOINING, _join),
    **dict.fromkeys(_EITHER, _add),
    **dict.fromkeys(_SHIFTS, _shift),
    **dict.fromkeys(_COMPARING, _compare),
    **dict.fromkeys(_ASKING, _ask),
    **dict.fromkeys(_POOLING, _pool),
    _aten.group_norm.default: _normalize_groups,
    _aten.cross.default: _cross,
    _aten.floor_divide.default: _divide,
    _aten.floor_divide.Scalar: _divide,
    **dict.fromkeys((_aten.sub.Tensor, _aten.sub.Scalar), _align),
    **dict.fromkeys((_aten.rsub.Tensor, _aten.rsub.Scalar, _aten.pow.Tensor_Tensor), _align),
    _aten.pow.Tensor_Scalar: _count,
    _aten.nansum.default: _sum,
    _aten.mean.default: _mean,
    _aten.mean.dim: _mean,
    _aten.linalg_vector_norm.default: _norm,
}
