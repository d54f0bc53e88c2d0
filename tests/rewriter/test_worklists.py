"""A loop over what is left to do is one loop, not a copy of its body for each state of the list."""

import pytest
import torch

from rewriter import rewrite
from rewriter.evaluation.control import worklists


def spread(x: torch.Tensor) -> list[int]:
    """Visit the neighbours of places whose number is positive."""
    numbers = x.tolist()
    seen = [False] * len(numbers)
    stack = [0]
    order = []
    while stack:
        place = stack.pop()
        if seen[place]:
            continue
        seen[place] = True
        order.append(place)
        for other in range(len(numbers)):
            if numbers[other] > numbers[place]:
                stack.append(other)
    return order


def _lines() -> int:
    return len(rewrite(spread, (torch.tensor([0.1, 0.3, 0.2]),)).source.splitlines())


def test_it_is_rolled_once_paths_have_lists_of_several_lengths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rolled = _lines()
    monkeypatch.setattr(worklists, "_PARTED", 1_000)
    assert rolled * 4 < _lines()
