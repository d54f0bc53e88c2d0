"""Fourier transforms: only they stay complex, as exporters have them, between pairs."""

from collections.abc import Sequence

import torch
from torch import Tensor

from dycl.capture.real_arithmetic.pairs import Pairs


def of_real(
    dtype: torch.dtype, x: Tensor, dims: Sequence[int], normalization: int, onesided: bool
) -> Pairs:
    """Return the transform of real numbers."""
    found = torch.ops.aten._fft_r2c.default(x, dims, normalization, onesided)
    return Pairs(torch.view_as_real(found))


def of_complex(
    dtype: torch.dtype, x: Pairs, dims: Sequence[int], normalization: int, forward: bool
) -> Pairs:
    """Return the transform of complex numbers."""
    found = torch.ops.aten._fft_c2c.default(_complex(x), dims, normalization, forward)
    return Pairs(torch.view_as_real(found))


def to_real(
    dtype: torch.dtype, x: Pairs, dims: Sequence[int], normalization: int, last_size: int
) -> Tensor:
    """Return the real numbers of a transform."""
    found: Tensor = torch.ops.aten._fft_c2r.default(_complex(x), dims, normalization, last_size)
    return found


def _complex(x: Pairs) -> Tensor:
    return torch.view_as_complex(x.parts.contiguous())
