"""Loops within loops begin with what they came to when the loop around was tried before."""

import pytest
import torch

import dycl
from rewriter.evaluation.control import loop_attempts
from rewriter.evaluation.control.settled_heads import Settled


def nested(x: torch.Tensor, n: int) -> tuple[torch.Tensor, list[float], int]:
    """Three loops within each other, with numbers, tensors that grow and a list."""
    total, seen = 0, [0.0]
    for i in range(n):
        y = x
        while y.sum().item() < 4.0:
            z = y.clone()
            for _ in range(i):
                z = torch.cat([z, z[-1:] + total])
                total += 1
            y = y + z.mean()
            seen.append(y.sum().item())
        x = torch.cat([x, y[:1]])
    return x, seen, total


def begins_otherwise(x: torch.Tensor, n: int) -> tuple[int, int, torch.Tensor]:
    """What the inner loop begins with is alike at first, and not later on."""
    low, high = 0, 0
    for i in range(n):
        while x.sum().item() + low < 3 * i:
            low, high = low + 1, high + 1
        high += 2
    return low, high, x


@pytest.mark.parametrize("program", [nested, begins_otherwise])
def test_what_loops_begin_with_changes_nothing(
    program: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []
    original = loop_attempts._attempt

    def counted(*arguments: object) -> object:
        attempts[-1] += 1
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(loop_attempts, "_attempt", counted)
    sources = []
    for _ in range(2):
        attempts.append(0)
        sources.append(dycl.rewrite(program, (torch.ones(2), 3)).source)
        monkeypatch.setattr(Settled, "give", lambda *_: False)
    assert sources[0] == sources[1]
    assert attempts[0] < attempts[1]
