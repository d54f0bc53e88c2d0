"""Sizes of windows that are one number for every dimension, written out.

PyTorch takes ``kernel_size=(3,)`` for ``(3, 3)`` in two dimensions; the exporter writes one number.
"""

from typing import Any

import torch

_aten = torch.ops.aten
_OF_WINDOWS: frozenset[Any] = frozenset(
    {
        _aten.avg_pool2d.default,
        _aten.avg_pool3d.default,
        _aten.max_pool2d_with_indices.default,
        _aten.max_pool3d_with_indices.default,
        _aten.conv2d.default,
        _aten.conv2d.padding,
        _aten.conv3d.default,
        _aten.conv3d.padding,
        _aten.conv_transpose2d.input,
        _aten.conv_transpose3d.input,
    }
)


def write_out_sides(exported: torch.export.ExportedProgram) -> None:
    """Give each dimension its number, in place."""
    for node in exported.graph.nodes:
        if node.target in _OF_WINDOWS:
            _write_out(node)


def _write_out(node: torch.fx.Node) -> None:
    target: Any = node.target
    parameters = target._schema.arguments
    node.args = tuple(
        _sides(given, parameter.N)
        for given, parameter in zip(node.args, parameters[: len(node.args)], strict=True)
    )
    counts = {parameter.name: parameter.N for parameter in parameters}
    node.kwargs = {name: _sides(given, counts[name]) for name, given in node.kwargs.items()}


def _sides(given: Any, count: int | None) -> Any:
    if count is None or not isinstance(given, list | tuple) or len(given) != 1:
        return given
    return [*given] * count
