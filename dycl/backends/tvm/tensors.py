"""Tensors of a sub-DNN while its Relax function is built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from dycl.backends.tvm.sizes import Size, is_known

Expression = Any
"""A scalar of TVM, a tensor expression or a Relax variable. TVM has no types to check by."""


OWN, CONSTANT = -1, -2
"""Storage of tensors that a function makes, and of those that its code holds."""


_ANY = 2
"""Stands for a size that compile time does not know."""

Recipe = Callable[[Sequence[torch.Tensor]], torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A tensor of the sub-DNN: its variable in the Relax function, and what it is."""

    variable: Expression
    shape: tuple[Size, ...]
    dtype: torch.dtype
    storage: int = OWN
    """Tensors with one number share memory."""
    recipe: Recipe | None = field(default=None, repr=False, compare=False)
    """How it is computed at compile time, from the weights of a sub-DNN; None: it cannot be."""
    block: int = 0
    """Images only: the memory holds ``[sample, channel // block, row, column, channel % block]``,
    so that one instruction computes a block of channels. 0: it holds the shape as it is."""

    @property
    def meta(self) -> torch.Tensor:
        """Return a tensor without content that PyTorch can decide about element types by."""
        shape = [size if is_known(size) else _ANY for size in self.shape]
        return torch.empty(shape, dtype=self.dtype, device="meta")

    @property
    def type_name(self) -> str:
        """Return the element type as TVM spells it."""
        return type_name(self.dtype)


def raw(x: Tensor) -> Tensor:
    """Return an image in blocks as the plain tensor that its memory is."""
    samples, channels, *place = x.shape
    return replace(x, shape=(samples, channels // x.block, *place, x.block), block=0)


def type_name(dtype: torch.dtype) -> str:
    """Return an element type as TVM spells it."""
    return str(dtype).removeprefix("torch.")
