"""A hand-written host of ``Gated``, standing in for a generated one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


class Gated(nn.Module):
    """Doubles or negates by the sign of the sum; returns which."""

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        if x.sum().item() > 0:
            return x * 2, 1
        return -x, 0


class Fragile(nn.Module):
    """Raises on negative sums."""

    def forward(self, x: Tensor) -> Tensor:
        if x.sum().item() < 0:
            raise ValueError("negative")
        return x + 1


GRAPH = {
    "nodes": [
        {
            "id": "b0", "kind": "branch", "test": "x.sum() > 0", "source": "gated.py:8",
            "then": ["s0", "s1"],
        },
        {"id": "s0", "kind": "subdnn", "source": "gated.py:9", "then": []},
        {"id": "s1", "kind": "subdnn", "source": "gated.py:10", "then": []},
    ],
}  # fmt: skip


def double_or_negate(x: Any) -> tuple[Any, int, tuple[bool, float]]:
    """Return what ``Gated`` returns, and the branch with its margin."""
    total = float(x.sum())
    if total > 0:
        return x * np.float32(2), 1, (True, total)
    return -x, 0, (False, total)


class FakeHost:
    """Runs ``double_or_negate``, and spoils the result as asked."""

    def __init__(self, spoil: Callable[[Any, int], object] | None = None) -> None:
        self.manifest = {"graph": GRAPH, "inputs": []}
        self._spoil = spoil
        self._callbacks: list[Callable[..., object]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        (x,) = args
        assert isinstance(x, np.ndarray)
        value, flag, (outcome, margin) = double_or_negate(x)
        self._report("branch", "b0", outcome, margin)
        self._report("subdnn", "s0" if outcome else "s1")
        return (value, flag) if self._spoil is None else self._spoil(value, flag)

    @contextmanager
    def observe(self, callback: Callable[..., object]) -> Iterator[None]:
        """Report events to ``callback``."""
        self._callbacks.append(callback)
        try:
            yield
        finally:
            self._callbacks.remove(callback)

    def _report(self, *event: object) -> None:
        for callback in self._callbacks:
            callback(event)


class RaisingHost(FakeHost):
    """Raises the given error on negative sums, as the host of ``Fragile``."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__()
        self._error = error

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        (x,) = args
        if self._error is not None and x.sum() < 0:
            raise self._error
        return x + np.float32(1)


def both_ways() -> list[tuple[Tensor, ...]]:
    """Return inputs of which two are positive and one is negative."""
    return [(torch.tensor([1.0, 2.0]),), (torch.tensor([-4.0, 1.0]),), (torch.tensor([0.5, 3.0]),)]
