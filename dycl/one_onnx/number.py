"""One number of the host: its Python type and its bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

Kind: TypeAlias = type[int] | type[float] | type[bool]

LOWEST, HIGHEST = -(2**63), 2**63 - 1
EXACT = 2**53
"""Up to here every integer is a double."""
_MOST = 2**48
"""No tensor has more elements, and so no dimension is longer."""


@dataclass(frozen=True, slots=True)
class Number:
    """What is known of a number; the bounds are those of integers (False is 0, True is 1)."""

    kind: Kind
    low: int = LOWEST
    high: int = HIGHEST
    may_be_zero: bool = True
    """Of floats; the bounds say it of integers."""
    of_numpy: bool = False
    """Whether it may be numpy's number and not Python's: of the same value, but two truths of
    numpy add up to a truth."""

    @property
    def fits(self) -> bool:
        """Return whether ONNX has a type that holds it."""
        return self.kind is float or (self.low >= LOWEST and self.high <= HIGHEST)

    @property
    def is_exact_double(self) -> bool:
        """Return whether it becomes a double without rounding."""
        return self.kind is float or (self.low >= -EXACT and self.high <= EXACT)

    def united(self, other: "Number") -> "Number":
        """Return what describes both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Number(self.kind, low, high, of_numpy=self.of_numpy or other.of_numpy)

    def within(self, low: int | None, high: int | None) -> "Number":
        """Return the same, with bounds that are known besides."""
        low = self.low if low is None else max(self.low, low)
        high = self.high if high is None else min(self.high, high)
        return replace(self, low=low, high=high)


FLOAT = Number(float)
TRUTH = Number(bool, 0, 1)
LENGTH = Number(int, 0, _MOST)
ANY = Number(int, -(2**4096), 2**4096)
"""An integer of Python's, which may need more than 64 bits."""


_KINDS: Mapping[type, Kind] = {
    bool: bool, int: int, float: float,
    np.bool_: bool, np.int64: int, np.float64: float,
}  # fmt: skip


def kind_of(kind: type | None) -> Kind | None:
    """Return the type of Python's numbers that has the values of a type, None for others."""
    return None if kind is None else _KINDS.get(kind)
