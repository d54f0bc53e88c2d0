"""Operations that PyTorch has for derivatives only, in others that backends take."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._decomp import decomposition_table

aten = torch.ops.aten


def _convolution(
    grad_output: torch.Tensor, input: torch.Tensor, weight: torch.Tensor,
    bias_sizes: Sequence[int] | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
    output_mask: Sequence[bool],
) -> object:  # fmt: skip
    """What a convolution hands back to its input: it goes the other way round."""
    del bias_sizes, output_padding
    if output_mask[1] or output_mask[2]:
        return NotImplemented
    kernel = weight.shape[2:]
    if transposed:
        rest = [0] * len(kernel)
    else:
        rest = _left_over(input, grad_output, kernel, stride, padding, dilation)
    back = aten.convolution(
        grad_output, weight, None, stride, padding, dilation, not transposed, rest, groups
    )
    return back, None, None


def _left_over(
    input: torch.Tensor, output: torch.Tensor, kernel: Sequence[int], stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int],
) -> list[int]:  # fmt: skip
    """Return how much of each size no window reaches: windows go in whole strides."""
    sizes = zip(input.shape[2:], output.shape[2:], kernel, stride, padding, dilation, strict=True)
    return [n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in sizes]


def _average(
    grad_output: torch.Tensor, input: torch.Tensor, kernel_size: Sequence[int],
    stride: Sequence[int], padding: Sequence[int], ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None,
) -> object:  # fmt: skip
    """What averages hand back: each window's share to all that it has seen."""
    padded = any(padding) and not (count_include_pad or divisor_override)
    if ceil_mode or padded or input.dim() != 4 or len(kernel_size) != 2:
        return NotImplemented
    stride = stride or kernel_size
    share = 1 / (divisor_override or math.prod(kernel_size))
    channels = input.shape[1]
    weight = aten.full([channels, 1, *kernel_size], share, dtype=input.dtype)
    rest = _left_over(input, grad_output, kernel_size, stride, padding, [1, 1])
    return aten.convolution(
        grad_output, weight, None, stride, padding, [1, 1], True, rest, channels
    )


def _nearest(
    grad_output: torch.Tensor, output_size: Sequence[int], input_size: Sequence[int],
    scales_h: float | None = None, scales_w: float | None = None,
) -> object:  # fmt: skip
    """What pixels repeated a whole number of times hand back: the sum over the repetitions."""
    del scales_h, scales_w
    batch, channels, height, width = input_size
    if output_size[0] % height or output_size[1] % width:
        return NotImplemented
    down, right = output_size[0] // height, output_size[1] // width
    parts = aten.reshape(grad_output, [batch, channels, height, down, width, right])
    return aten.sum(parts, [3, 5])


def _distance(
    grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, cdist: torch.Tensor
) -> object:
    """What Euclidean distances hand back: the direction, and nothing where two points are one."""
    if p != 2:
        return NotImplemented
    apart = aten.sub(aten.unsqueeze(x1, -2), aten.unsqueeze(x2, -3))
    share = aten.where(aten.eq(cdist, 0), aten.zeros_like(grad), aten.div(grad, cdist))
    return aten.sum(aten.mul(aten.unsqueeze(share, -1), apart), [-2])


def _smooth_l1(
    grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int, beta: float
) -> object:
    """What smooth losses hand back: PyTorch's decomposition has zeros where there is NaN."""
    apart = aten.sub(self, target)
    share = grad_output / apart.numel() if reduction == 1 else grad_output
    far = aten.ge(aten.abs(apart), beta)
    return aten.where(far, aten.sign(apart) * share, apart * share / beta)


def _logit(grad_output: torch.Tensor, self: torch.Tensor, eps: float | None = None) -> object:
    """What logits hand back, NaN for NaN: PyTorch's decomposition has zeros there."""
    low, beyond = (0.0, math.nan) if eps is None else (eps, 0.0)
    outside = aten.logical_or(aten.lt(self, low), aten.gt(self, 1.0 - low))
    filled = aten.full_like(self, beyond)
    return aten.where(outside, filled, grad_output / (self * (1.0 - self)))


DECOMPOSED: dict[Any, Callable[..., object]] = {
    **{op: rule for op, rule in decomposition_table.items() if "backward" in str(op)},
    aten.convolution_backward.default: _convolution,
    aten.avg_pool2d_backward.default: _average,
    aten.logit_backward.default: _logit,
    aten.smooth_l1_loss_backward.default: _smooth_l1,
    aten._cdist_backward.default: _distance,
    aten.upsample_nearest2d_backward.default: _nearest,
}
"""PyTorch's own decompositions, and those for what it has none."""
