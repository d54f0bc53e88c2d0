"""Half precision as PyTorch computes it: with numbers in single precision, rounded once."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

_aten = torch.ops.aten
_Node = torch.fx.Node


def _overloads(*names: str) -> dict[Any, Callable[..., Any]]:
    """Return the operators that write their result into what they are about, or not, by these."""
    pairs = [name.partition(".")[::2] for name in names]
    return {
        getattr(getattr(_aten, name + mark), overload): getattr(getattr(_aten, name), overload)
        for name, overload in pairs
        for mark in ("", "_")
        if overload in getattr(_aten, name + mark).overloads()
    }


_TIMES: dict[Any, Callable[..., Any]] = {
    **_overloads("mul.Tensor", "mul.Scalar", "div.Tensor", "div.Scalar"),
    **_overloads("div.Tensor_mode", "div.Scalar_mode", "floor_divide.default"),
    **_overloads("floor_divide.Scalar"),
    _aten.floor_divide_.Tensor: _aten.floor_divide.default,
}
_PLUS = _overloads("add.Tensor", "sub.Tensor")
_BOTH: dict[Any, Callable[..., Any]] = {
    **_overloads("addcmul.default", "addcdiv.default", "lerp.Scalar"),
    _aten.softplus.default: _aten.softplus.default,
}
_WIDE: dict[Any, Callable[..., Any]] = {**_TIMES, **_PLUS, **_BOTH}


def settled(output: torch.Tensor) -> torch.Tensor:
    """Return an output in half precision as a copy.

    What the exporter computes in single precision it rounds for those who read it; an output that
    is such a result would stay in single precision.
    """
    return output.clone() if output.dtype == torch.half else output


def widen_halves(exported: torch.export.ExportedProgram) -> None:
    """Write such operators with single precision between, in place.

    The exporter gives numbers the type of the elements: they may be infinite then, or 0, and
    products are rounded before they are added.
    """
    for node in [*exported.graph.nodes]:
        if node.target in _WIDE and node.meta["val"].dtype == torch.half and _is_wide(node):
            _widen(node)
    exported.graph_module.recompile()


def _is_wide(node: _Node) -> bool:
    if not _is_half(node.args[0]):
        return False
    if node.target in _BOTH:
        return all(map(_is_half, _nodes(node.args)))
    second = node.args[1]
    if node.target in _TIMES:
        return not isinstance(second, _Node) or not (_is_half(second) or _dimensions(second))
    return "alpha" in node.kwargs and _is_half(second)


def _nodes(values: Iterable[object]) -> list[_Node]:
    return [value for value in values if isinstance(value, _Node)]


def _is_half(value: object) -> bool:
    return _is_tensor(value) and value.meta["val"].dtype == torch.half  # type: ignore[attr-defined]


def _is_tensor(value: object) -> bool:
    return isinstance(value, _Node) and isinstance(value.meta["val"], torch.Tensor)


def _dimensions(node: _Node) -> int:
    """Return how many a tensor has; a size has none."""
    return node.meta["val"].dim() if _is_tensor(node) else 0


def _widen(node: _Node) -> None:
    function = _WIDE[node.target]
    with node.graph.inserting_before(node):
        args = [_single(value) if _is_tensor(value) else value for value in node.args]
        made = node.graph.call_function(function, tuple(args), node.kwargs)
    made.meta["val"] = node.meta["val"].float()
    if node.target is function:
        node.target, node.args = _aten._to_copy.default, (made,)
        node.kwargs = {"dtype": torch.half}
    else:
        node.target, node.args, node.kwargs = _aten.copy_.default, (node.args[0], made), {}


def _single(value: Any) -> _Node:
    found: _Node = value.graph.call_function(
        _aten._to_copy.default, (value,), {"dtype": torch.float}
    )
    found.meta["val"] = value.meta["val"].float()
    return found
