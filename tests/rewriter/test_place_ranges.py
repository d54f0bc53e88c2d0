"""What is chosen by a place that ``argmax`` and others give has one path for each element."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import dycl

NAMES = ({"name": "cat"}, {"name": "dog"}, {"name": "bird"})

CERTAIN: dict[str, Callable[[Tensor], object]] = {
    "argmax": lambda x: NAMES[int(x[0].argmax())],
    "along a dimension": lambda x: NAMES[int(x.argmax(dim=1)[1].item())],
    "by another name of it": lambda x: NAMES[torch.argmax(x, axis=1)[0]],  # type: ignore[call-arg]
    "beside values": lambda x: NAMES[x.max(1)[1].view(-1)[0]],
    "topk": lambda x: NAMES[x.topk(2)[1][1, 0]],
    "sorting": lambda x: NAMES[torch.sort(x, -1)[1].unbind()[0][2]],
}

UNCERTAIN: dict[str, Callable[[Tensor], object]] = {
    "values": lambda x: NAMES[int(x.long().max(1)[0][0])],
    "calculated": lambda x: NAMES[int(x[0].argmax() - 1)],
    "of more elements": lambda x: NAMES[int(x.argmax())],
}


@pytest.mark.parametrize("name", CERTAIN)
def test_places_are_in_range(name: str) -> None:
    source = dycl.rewrite(CERTAIN[name], (torch.rand(2, 3),)).source
    assert "IndexError" not in source
    assert "== -" not in source
    assert source.count("if ") == len(NAMES) - 1


@pytest.mark.parametrize("name", UNCERTAIN)
def test_other_numbers_may_not_be(name: str) -> None:
    assert "IndexError" in dycl.rewrite(UNCERTAIN[name], (torch.rand(2, 3),)).source
