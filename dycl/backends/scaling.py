"""Products with powers of two, which may be larger than any number of the element type."""

import torch
from torch import Tensor

_FAR = {torch.float64: 2100}
"""How far the least number of an element type is from the largest one, in places."""
_NEAR = 400
_STEP = 700
"""There are powers of two to this exponent in double precision."""


def ldexp(self: Tensor, other: Tensor) -> Tensor:
    """Write ``ldexp`` without an infinite power: 0 times that is not a number, but still 0 here.

    PyTorch's own table has the product with the power, as PyTorch computes for other exponents.
    """
    whole = not other.dtype.is_floating_point and other.dtype is not torch.bool
    if not self.dtype.is_floating_point or not whole:
        return _product(self, _power(self, other))
    far = _FAR.get(self.dtype, _NEAR)
    left = other.to(torch.int32).clamp(-far, far).double()  # PyTorch cuts them, too
    product = self.double()
    for _ in range(0, far, _STEP):
        step = left.clamp(-_STEP, _STEP)
        product, left = product * torch.pow(2.0, step), left - step
    return product.to(self.dtype)


def _power(self: Tensor, other: Tensor) -> Tensor:
    """Return the power of a two that has no dimensions, of the type of floats."""
    kind = self.dtype if self.dtype.is_floating_point else torch.float32
    two = self.new_full((), 2.0, dtype=kind)
    kind = torch.result_type(two, other)
    return torch.pow(two.to(kind), other.to(kind))


def _product(x: Tensor, y: Tensor) -> Tensor:
    """Return a product that is rounded once, to the type that both have together."""
    wide = torch.promote_types(x.dtype, y.dtype)
    return (x.to(wide) * y.to(wide)).to(torch.result_type(x, y))
