"""What is changed about exported programs and graphs so that who reads them computes the same."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch

from dycl.backends.onnx_graphs.choosing import keep_negative_zeros
from dycl.backends.onnx_graphs.convolving import guard_convolutions, leave_out_zeros
from dycl.backends.onnx_graphs.empty_batches import fill_empty_batches
from dycl.backends.onnx_graphs.empty_products import guard_products
from dycl.backends.onnx_graphs.empty_sums import guard_sums
from dycl.backends.onnx_graphs.exact_extremes import keep_extremes_exact
from dycl.backends.onnx_graphs.exact_reductions import keep_integers_exact
from dycl.backends.onnx_graphs.gathering import keep_places_checked
from dycl.backends.onnx_graphs.grid_places import guard_grids
from dycl.backends.onnx_graphs.halves import widen_halves
from dycl.backends.onnx_graphs.maximum_pooling import guard_pools
from dycl.backends.onnx_graphs.near_neutral import keep_near_neutral
from dycl.backends.onnx_graphs.promoting import make_numbers_alike
from dycl.backends.onnx_graphs.reduced_axes import count_axes_from_the_front
from dycl.backends.onnx_graphs.rewording import reword
from dycl.backends.onnx_graphs.rounding import keep_rounding
from dycl.backends.onnx_graphs.short_floats import widen_short_floats
from dycl.backends.onnx_graphs.sides import write_out_sides
from dycl.backends.onnx_graphs.sigmoids import write_out_sigmoids
from dycl.backends.onnx_graphs.stepping import guard_recurrences
from dycl.backends.onnx_graphs.transposing import guard_transposes
from dycl.backends.onnx_graphs.truths import keep_bytes
from dycl.backends.onnx_graphs.wide_places import widen_places
from dycl.backends.onnx_graphs.wider_kernels import widen_kernels

if TYPE_CHECKING:
    from onnxscript import ir


def suit_exporter(exported: torch.export.ExportedProgram) -> bool:
    """Change, in place, what the exporter has no translation of, or another one; return whether."""
    before = _operations(exported)
    make_numbers_alike(exported)
    keep_bytes(exported)
    widen_places(exported)
    widen_halves(exported)
    widen_short_floats(exported)
    write_out_sides(exported)
    reword(exported)
    return before != _operations(exported)


def _operations(exported: torch.export.ExportedProgram) -> list[object]:
    return [(node, node.target, node.args, node.kwargs) for node in exported.graph.nodes]


def suit_onnxruntime(model: "ir.Model", least: Mapping[str, int]) -> None:
    """Change, in place, what ONNX Runtime computes otherwise than PyTorch, or not at all."""
    widen_kernels(model)
    keep_integers_exact(model)
    keep_extremes_exact(model)
    guard_transposes(model, least)
    guard_sums(model, least)
    guard_products(model, least)
    leave_out_zeros(model)
    guard_convolutions(model, least)
    fill_empty_batches(model)
    guard_recurrences(model)
    guard_pools(model)
    guard_grids(model)
    write_out_sigmoids(model)
    keep_negative_zeros(model)
    keep_rounding(model)
    keep_near_neutral(model)
    keep_places_checked(model)
    count_axes_from_the_front(model)
