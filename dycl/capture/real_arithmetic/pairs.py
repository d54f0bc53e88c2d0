"""A complex tensor as pairs of real numbers, and what makes pairs of other operands."""

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from hcfg.handed_on import REAL


@dataclass(frozen=True, slots=True)
class Pairs:
    """A complex tensor: its real and imaginary parts in a last dimension more."""

    parts: Tensor

    @property
    def real(self) -> Tensor:
        """Return the real parts."""
        return self.parts.select(-1, 0)

    @property
    def imag(self) -> Tensor:
        """Return the imaginary parts."""
        return self.parts.select(-1, 1)

    @property
    def rank(self) -> int:
        """Return the number of dimensions of the complex tensor."""
        return self.parts.dim() - 1

    def to(self, dtype: torch.dtype) -> "Pairs":
        """Return the numbers with parts of another type."""
        return self if self.parts.dtype == dtype else Pairs(self.parts.to(dtype))


Number: TypeAlias = bool | int | float | complex | torch.SymInt
Operand: TypeAlias = Pairs | Tensor | Number


def made_of(real: Tensor, imag: Tensor) -> Pairs:
    """Return the numbers with these parts, spread over one shape."""
    both = torch.broadcast_tensors(real, imag)  # type: ignore[no-untyped-call]
    return Pairs(torch.stack(both, -1))


def part_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the type of both parts of complex numbers of a type."""
    if dtype not in REAL:
        raise NotImplementedError(f"{dtype} tensors")
    return REAL[dtype]


def parts_of(operand: Operand, like: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return the parts of an operand: of real numbers, the imaginary ones are zeros."""
    match operand:
        case Pairs():
            pairs = operand.to(dtype)
            return pairs.real, pairs.imag
        case Tensor():
            real = operand.to(dtype)
            return real, torch.zeros_like(real)
        case _:
            number = operand if isinstance(operand, complex) else complex(operand, 0.0)
            return (
                torch.full((), number.real, dtype=dtype, device=like.device),
                torch.full((), number.imag, dtype=dtype, device=like.device),
            )
