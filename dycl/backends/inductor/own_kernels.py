"""Leaves to PyTorch's own kernels what the compiler lowers only where it knows the sizes.

Also what it lowers otherwise than PyTorch computes: places of the largest among several NaNs.

It makes products of matrices faster where a size is 1, and asks whether it is; it asks for the
number of a convolution's filters. Where such a size is known only at run time, there is no answer.
PyTorch's kernel asks at run time: the generated code calls it, as eager does.
"""

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest import mock

import torch
from torch import Tensor, fx
from torch._prims_common import make_contiguous_strides_for
from torch.fx.experimental.symbolic_shapes import has_free_symbols, statically_known_true

aten = torch.ops.aten

_ASKED: dict[object, tuple[int, ...]] = {
    aten.bmm.default: (0, 1),
    aten.convolution.default: (1,),
}
"""Operators, and the arguments whose sizes are asked about."""


@contextmanager
def with_places_of_pytorch(graph: fx.Graph) -> Iterator[None]:
    """Leave pooling that tells places to PyTorch: of several NaNs it takes another than code does.

    ``graph`` is what is compiled.
    """
    if not any(map(_tells_places, graph.nodes)):
        yield
        return
    asked = "torch._inductor.lowering.should_fallback_max_pool_with_indices"
    with mock.patch(asked, lambda *_, **__: True):
        yield


_POOLS = (
    aten.max_pool1d_with_indices.default,  # which becomes the next one
    aten.max_pool2d_with_indices.default,
    aten.max_pool3d_with_indices.default,
    aten.adaptive_max_pool2d.default,
)


def _tells_places(node: fx.Node) -> bool:
    """Return whether a node is a pooling whose second result is used."""
    return node.target in _POOLS and any(
        user.target is operator.getitem and user.args[1] == 1 for user in node.users
    )


def leave_to_pytorch(graph: fx.Graph) -> None:
    """Mark operators of sizes of run time that the compiler would ask about, and such pooling."""
    for node in list(graph.nodes):
        if _tells_places(node):
            node.meta["custom"] = {**node.meta.get("custom", {}), "fallback_to_eager": True}
        asked = [node.args[place] for place in _ASKED.get(node.target, ())]
        if any(has_free_symbols(x.meta["val"]) for x in asked):
            node.meta["custom"] = {**node.meta.get("custom", {}), "fallback_to_eager": True}
            if node.target is aten.convolution.default:
                x, weight, *others = node.args
                with graph.inserting_before(node):
                    _require_channels(graph, weight)
                    node.args = (_in_order(graph, x), _in_order(graph, weight), *others)


def _require_channels(graph: fx.Graph, weight: Any) -> None:
    """Insert a check of a convolution's weight: of no channels PyTorch makes another shape.

    The code that reads the result takes it for as large as there are filters.
    """
    for dim in (0, 1):
        size = graph.call_function(aten.sym_size.int, (weight, dim))
        size.meta["val"] = weight.meta["val"].shape[dim]
        is_some = graph.call_function(operator.ge, (size, 1))
        is_some.meta["val"] = size.meta["val"] >= 1
        message = "a convolution without channels or filters"
        check = graph.call_function(aten._assert_scalar.default, (is_some, message))
        check.meta["val"] = None


def _in_order(graph: fx.Graph, x: Any) -> fx.Node:
    """Return a convolution's argument that lies in memory in the order of its dimensions.

    For others PyTorch chooses the order of its result by sizes; the compiler takes one for all.
    """
    value: Tensor = x.meta["val"]
    strides = make_contiguous_strides_for(value.shape)
    if all(map(statically_known_true, map(operator.eq, value.stride(), strides))):
        return cast(fx.Node, x)
    contiguous: dict[str, Any] = {"memory_format": torch.contiguous_format}
    copy = graph.call_function(aten.clone.default, (x,), contiguous)
    copy.meta["val"] = value.new_empty_strided(value.shape, strides)
    return copy
