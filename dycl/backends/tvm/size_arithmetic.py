"""What an exported program computes with sizes and integers, rather than with tensors."""

import operator
from collections.abc import Callable
from typing import Any

import torch

from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering_selections import read_number
from dycl.backends.tvm.operands import Unsupported
from dycl.backends.tvm.sizes import FUNCTIONS, normal, product_of
from dycl.backends.tvm.tensors import Tensor

_ATEN = torch.ops.aten
_DYCL = torch.ops.dycl

_SILENT = (
    *(operator.ge, operator.gt, operator.le, operator.lt, operator.eq, operator.ne),
    *(operator.and_, operator.or_, torch.sym_not),
    _ATEN._assert_scalar.default,
    _ATEN.sym_constrain_range.default,
    _ATEN.sym_constrain_range_for_size.default,
    _ATEN.sym_stride.int,
    _ATEN.sym_storage_offset.default,
)
"""What a trace has relied on. The lowerings do not: each demands what it needs itself."""


def computes_sizes(node: torch.fx.Node) -> bool:
    """Return whether a node is about sizes or integers."""
    return node.target in FUNCTIONS or node.target in _READERS or node.target in _SILENT


def computed(emitter: Emitter, node: torch.fx.Node, arguments: tuple[Any, ...]) -> Any:
    """Return the number that a node stands for."""
    if node.target in _SILENT:
        return None
    if node.target in _READERS:
        return _READERS[node.target](emitter, *arguments)
    if any(argument is None for argument in arguments):
        return None
    return normal(FUNCTIONS[node.target](*arguments))


def _shown(_emitter: Emitter, x: Tensor, dim: int, factor: int, offset: int, *_bounds: int) -> Any:
    rest = x.shape[dim] - offset
    return rest if factor == 1 else normal(FUNCTIONS[operator.floordiv](rest, factor))


def _opened(_emitter: Emitter, x: Tensor, _sizes: Any) -> Tensor:
    return x


def _size(_emitter: Emitter, x: Tensor, dim: int) -> Any:
    return x.shape[dim]


def _count(_emitter: Emitter, x: Tensor) -> Any:
    return product_of(x.shape)


def _item(emitter: Emitter, x: Any) -> Any:
    """Return the number in a tensor; an input that is an integer is a number already."""
    if not isinstance(x, Tensor):
        return x
    if x.dtype.is_floating_point or x.dtype == torch.bool:
        raise Unsupported(f"a Python number from a {x.dtype} tensor")
    return read_number(emitter, x, None)


_READERS: dict[Any, Callable[..., Any]] = {
    _DYCL.size.default: _shown,
    _DYCL.opened.default: _opened,
    _ATEN.sym_size.int: _size,
    _ATEN.sym_numel.default: _count,
    _ATEN._local_scalar_dense.default: _item,
}
