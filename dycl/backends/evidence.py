"""Whether results are PyTorch's but for rounding, and how much their being so shows.

Where sums cancel, what remains is as small as its error, and no two ways to compute it agree.
How far a result may lie from PyTorch's is found by trying: PyTorch computes again, with all that
goes into each operation moved by one rounding.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

_RELATIVE = {torch.float16: 2e-2, torch.float32: 1e-3, torch.float64: 1e-5}

_TRIES = 6

_FACTOR = 16.0
"""Errors of another order of operations, in changes by one rounding."""

_TELLING = 0.01
"""The part of the largest number (or of 1) that rounding may change in a number that tells."""

Compute = Callable[[], Sequence[torch.Tensor]]


class Agreement(Enum):
    """What a result shows."""

    DIFFERENT = auto()
    WEAK = auto()
    """It is PyTorch's but for rounding, which could be said of much else: most of it is NaN,
    infinite, or decided by rounding."""
    STRONG = auto()


class Evidence:
    """PyTorch's results on one input, to compare others with."""

    def __init__(self, compute: Compute) -> None:
        """Let ``compute`` give the results, once now and again where rounding is to be tried."""
        self.expected = tuple(compute())
        self._compute = compute
        self._changes: list[np.ndarray] | None = None

    @property
    def is_finite(self) -> bool:
        """Return whether PyTorch gives finite numbers only."""
        return all(bool(tensor.isfinite().all()) for tensor in self.expected)

    def of(self, index: int, array: np.ndarray) -> Agreement:
        """Compare one result with PyTorch's, of its shape and type."""
        reference = self.expected[index].detach().numpy()
        if array.size == 0:
            return Agreement.STRONG
        close = _is_close(self.expected[index].dtype, reference, array)
        telling = _is_finite(reference)
        if not close.all():
            allowed = _FACTOR * self._change(index)
            with np.errstate(invalid="ignore", over="ignore"):
                near = np.abs(_wide(array) - _wide(reference)) <= allowed
            near &= allowed > 0  # wide numbers do not tell large integers apart
            # a number that rounding makes NaN or infinite may be anything
            if not (close | near | np.isinf(allowed)).all():
                return Agreement.DIFFERENT
            largest = np.abs(_wide(reference)[telling]).max(initial=1.0)
            telling &= close | (allowed <= _TELLING * largest)
        return Agreement.STRONG if 2 * telling.sum() >= telling.size else Agreement.WEAK

    def _change(self, index: int) -> np.ndarray:
        """Return by how much rounding changes each number of a result."""
        if self._changes is None:
            self._changes = [np.zeros(tensor.shape) for tensor in self.expected]
            for seed in range(_TRIES):
                with _Rounding(seed):
                    moved = self._compute()
                for change, before, after in zip(self._changes, self.expected, moved, strict=True):
                    if before.shape == after.shape:
                        np.maximum(change, _distance(before.numpy(), after.numpy()), out=change)
        return self._changes[index]


def _distance(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        distance = np.abs(_wide(after) - _wide(before))
        same = (before == after) | (np.isnan(_wide(before)) & np.isnan(_wide(after)))
    return np.asarray(np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance)))


def _is_close(dtype: torch.dtype, reference: np.ndarray, array: np.ndarray) -> np.ndarray:
    if not dtype.is_floating_point:
        return np.asarray(reference == array)
    relative = _RELATIVE[dtype]
    scale = float(np.abs(reference[np.isfinite(reference)]).max(initial=0.0))
    tolerance = relative * scale * 0.1 + 1e-7
    close = np.isclose(array, reference, rtol=relative, atol=tolerance, equal_nan=True)
    return np.asarray(close)


def _is_finite(array: np.ndarray) -> np.ndarray:
    return np.asarray(np.isfinite(_wide(array)))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64)


class _Rounding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, each operation computes with numbers moved by one rounding, up or down."""

    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Move what goes into an operation, unless that is a view or written to."""
        if all(argument.alias_info is None for argument in func._schema.arguments):
            args = tree_map(self._moved, args)
        return func(*args, **(kwargs or {}))

    def _moved(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        up = torch.randint(0, 2, value.shape, generator=self._generator)
        moved = value + value * torch.finfo(value.dtype).eps * (2 * up - 1).to(value.dtype)
        return torch.where(moved.isfinite(), moved, value)
