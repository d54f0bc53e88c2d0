"""Which operators of PyTorch are written as others before they are lowered."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from dycl.backends.scaling import ldexp
from dycl.backends.tvm.interpolating import interpolated, interpolated_by_factors

_KEPT = (
    # they become operators that count negative places from the end, which these refuse
    "aten.index_add.default",
    "aten.index_copy.default",
    # it would be decided at compile time whether the place is negative
    "aten.select_scatter.default",
    # it becomes the largest of numbers, of which there may be none
    "aten.logsumexp.default",
)
"""Operators that are not decomposed."""

_DECOMPOSED_ALSO = (
    "elu gelu hardtanh leaky_relu native_layer_norm upsample_nearest2d grid_sampler_2d"
)
"""Operators that PyTorch's table of decompositions knows, beyond those to the core."""


_TAKING_SOME = "_log_softmax _softmax"
"""Those that are decomposed where it is known that there are elements, or none."""


@cache
def decompositions(late_sizes: bool) -> Any:
    """Return the table; ``late_sizes`` says whether only run time knows some sizes."""
    from torch._decomp import core_aten_decompositions, decomposition_table

    table = dict(core_aten_decompositions())
    for kept in _KEPT:
        table = {operator: way for operator, way in table.items() if str(operator) != kept}
    wanted = f"{_DECOMPOSED_ALSO} {'' if late_sizes else _TAKING_SOME}".split()
    for operator, decomposition in decomposition_table.items():
        full = str(operator).removeprefix("aten.")
        if full in wanted or full.partition(".")[0] in wanted:
            table[operator] = decomposition
    aten = torch.ops.aten
    table[aten._cdist_forward.default] = _distances
    table[aten.grid_sampler_2d.default] = _sampled(table[aten.grid_sampler_2d.default])
    table[aten.conv_tbc.default] = _with_time_first
    table[aten.ldexp.Tensor] = ldexp
    table[aten.std.correction] = _deviation
    table[aten.std_mean.correction] = _deviation_and_mean
    table[aten.upsample_bilinear2d.default] = interpolated
    table[aten.upsample_bilinear2d.vec] = interpolated_by_factors
    return table


def _sampled(decomposition: Callable[..., Any]) -> Callable[..., Any]:
    """Leave what PyTorch computes step by step in short floats, where places are other ones."""

    def sampled(x: torch.Tensor, *options: Any) -> Any:
        return NotImplemented if x.dtype in _SHORT else decomposition(x, *options)

    return sampled


_SHORT = (torch.half, torch.bfloat16)


def _with_time_first(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, pad: int = 0
) -> torch.Tensor:
    """Write ``conv_tbc`` as the convolution that has time last."""
    rows, filters = x.permute(1, 2, 0), weight.permute(2, 1, 0)
    return torch.conv1d(rows, filters, bias, padding=pad).permute(2, 0, 1)


def _deviation(
    x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    """Compute in double precision, as PyTorch does: squares leave the range of single precision."""
    found = _deviation_and_mean(x, dim, correction=correction, keepdim=keepdim)
    return found if found is NotImplemented else found[0]


def _deviation_and_mean(
    x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    if x.is_complex():
        return NotImplemented
    wide = x.double()
    squares = torch.var(wide, dim, correction=correction, keepdim=keepdim)
    return squares.sqrt().to(x.dtype), torch.mean(wide, dim, keepdim).to(x.dtype)


def _distances(x: torch.Tensor, y: torch.Tensor, p: float, compute_mode: Any = None) -> Any:
    """Write ``cdist`` as norms of the differences of every two rows."""
    del compute_mode  # which formula PyTorch takes, for the same distances
    apart = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return torch.where(apart.isnan(), apart, (apart != 0).to(x.dtype)).sum(-1)
    if p == 1:
        return apart.sum(-1)
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    if math.isinf(p):
        # PyTorch's maximum leaves NaN out, and is 0 where nothing else is there
        known = torch.where(apart.isnan(), torch.zeros_like(apart), apart)
        return torch.nn.functional.pad(known, (0, 1)).amax(-1)
    return apart.pow(p).sum(-1).pow(1 / p)
