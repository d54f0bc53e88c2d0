"""Elements of type bfloat16: ONNX Runtime has kernels for few operators of them.

PyTorch computes in single precision and rounds each result. So does what is written here; for half
precision, too, of operators that would lose much, or that the exporter does not take.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import getitem
from typing import Any

import torch

from dycl.backends.onnx_graphs.plain_operators import without_writing, writes

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
_OPERANDS = (torch.Tensor, int, float)
_OF_HALVES = frozenset(
    {
        *(_aten.std, _aten.var, _aten.std_mean, _aten.var_mean),
        *(_aten.sinc, _aten.special_sinc),
    }
)
"""What is computed so in half precision."""
_PLACING = frozenset({_aten.grid_sampler, _aten.grid_sampler_2d, _aten.grid_sampler_3d})
"""What PyTorch computes in the precision itself, step by step: places are other ones then."""
_REPEATING = frozenset({_aten.expand.default, _aten.expand_as.default, _aten.broadcast_to.default})
"""Views that ONNX Runtime has no kernel for: made new where nothing is written."""


def widen_short_floats(exported: torch.export.ExportedProgram) -> None:
    """Have operators take and give single precision, and round what they give, in place."""
    made_new = frozenset() if any(map(writes, exported.graph.nodes)) else _REPEATING
    shorts, halves = _Widening(torch.bfloat16, made_new), _Widening(torch.half, made_new)
    for node in [*exported.graph.nodes]:
        if node.op != "call_function" or node.target is getitem:
            continue
        packet = getattr(node.target, "overloadpacket", None)
        is_short, is_half = shorts.concerns(node), halves.concerns(node)
        if packet in _PLACING and (is_short or is_half):
            raise NotImplementedError("places in an image that are computed in short floats")
        if is_short:
            shorts.widen(node)
        elif is_half and packet in _OF_HALVES:
            halves.widen(node)
    exported.graph_module.recompile()


@dataclass(frozen=True, slots=True)
class _Widening:
    kind: torch.dtype
    made_new: Collection[Any]
    """Views that may be other tensors."""

    def concerns(self, node: _Node) -> bool:
        return any(map(self._is_short, (node, *node.all_input_nodes)))

    def widen(self, node: _Node) -> None:
        target = node.target
        if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
            raise NotImplementedError(f"{target} of {self.kind}")
        if target in _CONVERTING or self._is_kept(target) or not _tensors(node):
            return
        plain = without_writing(target) if target._schema.is_mutable else target
        if plain is None:
            raise NotImplementedError(f"{target} of {self.kind}")
        with node.graph.inserting_before(node):
            given = (self._rounded_operands(node, plain), dict(node.kwargs))
            args, kwargs = torch.fx.map_arg(given, self._single)
            args = tuple(map(self._wide_type, args))
            kwargs = {name: self._wide_type(value) for name, value in kwargs.items()}
            made = node.graph.call_function(plain, args, kwargs)
        value = node.meta["val"]
        made.meta["val"] = torch.utils._pytree.tree_map_only(torch.Tensor, self._wide, value)
        if target is not plain:
            node.target, node.args, node.kwargs = _aten.copy_.default, (node.args[0], made), {}
        elif isinstance(value, torch.Tensor):
            _round(node, made)
        else:
            self._round_elements(node, made)

    def _is_kept(self, target: torch._ops.OpOverload) -> bool:
        return target not in self.made_new and _is_view(target)

    def _is_short(self, node: _Node) -> bool:
        return any(value.dtype == self.kind for value in _tensors(node))

    def _wide(self, value: torch.Tensor) -> torch.Tensor:
        return value.float() if value.dtype == self.kind else value

    def _wide_type(self, value: Any) -> Any:
        return torch.float if value is self.kind else value

    def _single(self, operand: _Node) -> _Node:
        return _converted(operand, torch.float) if self._is_short(operand) else operand

    def _rounded_operands(self, node: _Node, plain: torch._ops.OpOverload) -> tuple[Any, ...]:
        """Return operands as they are before they are computed with, in single precision."""
        types = (*node.args[1:], *node.kwargs.values())
        if self.kind in types and isinstance(node.args[0], _Node):
            return (self._rounded(node.args[0], False), *node.args[1:])
        if torch.Tag.pointwise not in plain.tags:
            return node.args
        operands: list[Any] = [
            each.meta["val"] if isinstance(each, _Node) else each for each in node.args[:2]
        ]
        if len(operands) < 2 or not all(isinstance(each, _OPERANDS) for each in operands):
            return node.args
        if torch.result_type(*operands) != self.kind:
            return node.args
        takes_numbers = plain.overloadpacket not in _ROUNDING
        rounded = (self._rounded(each, takes_numbers) for each in node.args[:2])
        return (*rounded, *node.args[2:])

    def _rounded(self, operand: Any, takes_numbers: bool) -> Any:
        if isinstance(operand, _Node):
            value = operand.meta["val"]
            is_number = takes_numbers and not value.dim()
            if value.dtype in (self.kind, torch.bool) or is_number:
                return operand
            return _converted(operand, self.kind)
        if takes_numbers or not isinstance(operand, int | float):
            return operand
        return torch.tensor(float(operand)).to(self.kind).item()

    def _round_elements(self, node: _Node, made: _Node) -> None:
        """Round those of several results that have the type."""
        for use in [*node.users]:
            assert use.target is getitem
            if not self._is_short(use):
                use.update_arg(0, made)
                continue
            with use.graph.inserting_before(use):
                element = use.graph.call_function(getitem, (made, use.args[1]))
            element.meta["val"] = use.meta["val"].float()
            _round(use, element)
        node.graph.erase_node(node)


def _tensors(node: _Node) -> Iterable[torch.Tensor]:
    found = node.meta.get("val")
    values = found if isinstance(found, tuple | list) else (found,)
    return [value for value in values if isinstance(value, torch.Tensor)]


def _is_view(target: torch._ops.OpOverload) -> bool:
    """Return whether results may share memory with operands."""
    schema = target._schema
    return not schema.is_mutable and any(each.alias_info for each in schema.returns)


def _converted(operand: _Node, kind: torch.dtype) -> _Node:
    found = operand.graph.call_function(_aten._to_copy.default, (operand,), {"dtype": kind})
    found.meta["val"] = operand.meta["val"].to(kind)
    return found


def _round(node: _Node, made: _Node) -> None:
    node.target, node.args = _aten._to_copy.default, (made,)
    node.kwargs = {"dtype": node.meta["val"].dtype}
