"""Whether a batch computes what PyTorch computes for its elements, tried on a few of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from hcfg.execution import Forward
from hcfg.graph import Hcfg
from rewriter.program import TensorSpec

_TRIED = 3
"""How many inputs are computed one by one and as a batch, and compared."""
_TO_OTHER_INDICES = (1, -2)
"""What is added to indices of one of them, which are 0: then they are 1, and then -1."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A tensor of known sizes."""

    dtype: torch.dtype
    shape: tuple[int, ...]

    @classmethod
    def of(cls, name: str, graph: Hcfg) -> "Kind":
        """Return what a variable holds."""
        spec = graph.variables[name].spec
        assert isinstance(spec, TensorSpec)
        return cls(spec.dtype, tuple(int(size) for size in spec.shape))

    def maker(self, batch: tuple[int, ...]) -> Callable[[], Tensor]:
        """Return what makes a tensor of this kind, or a batch of them."""
        return lambda: torch.empty((*batch, *self.shape), dtype=self.dtype)

    def example(self, generator: torch.Generator) -> Tensor:
        """Return a tensor with content."""
        if self.dtype.is_floating_point:
            return torch.randn(self.shape, generator=generator).to(self.dtype)
        return torch.zeros(self.shape, dtype=self.dtype)  # an index that is valid everywhere


def computes_alike(forward: Forward, made: Forward, kinds: Sequence[Kind]) -> bool:
    """Return whether a batch gives what its elements give one by one, and raises where one does.

    ``forward`` is what PyTorch runs for one of them, with all that it checks.
    """
    generator = torch.Generator().manual_seed(0)
    rows = [[kind.example(generator) for kind in kinds] for _ in range(_TRIED)]
    if not _is_alike(_together(made, rows), _one_by_one(forward, rows)):
        return False
    for step in _TO_OTHER_INDICES if any(map(_is_integer, rows[0])) else ():
        rows[1] = [x + step if _is_integer(x) else x for x in rows[1]]
        if not _is_alike(_or_none(_together, made, rows), _or_none(_one_by_one, forward, rows)):
            return False
    return True


def _is_integer(x: Tensor) -> bool:
    return not x.is_floating_point() and x.dtype != torch.bool


def _together(made: Forward, rows: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    return _listed(made(*(torch.stack(column) for column in zip(*rows, strict=True))))


def _one_by_one(forward: Forward, rows: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    alone = [_listed(forward(*row)) for row in rows]
    return [torch.stack(column) for column in zip(*alone, strict=True)]


def _or_none(compute: Callable[..., list[Tensor]], *given: Any) -> list[Tensor] | None:
    """Return what is computed, None where that raises."""
    try:
        return compute(*given)
    except Exception:
        return None


def _is_alike(found: Sequence[Tensor] | None, wanted: Sequence[Tensor] | None) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return all(
        together.shape == stacked.shape
        and together.dtype == stacked.dtype
        and torch.allclose(
            together.double(), stacked.double(), rtol=1e-3, atol=1e-4, equal_nan=True
        )
        for together, stacked in zip(found, wanted, strict=True)
    )


def _listed(outputs: Any) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else [*outputs]
