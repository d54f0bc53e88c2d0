"""Which tensors may be examples of inputs."""

from typing import Any

import pytest
import torch

import dycl
from rewriter.diagnostics import CompileError


class Largest(torch.Tensor):
    """Says itself what the largest element is."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.max:
            return torch.tensor(123.0)
        return super().__torch_function__(func, types, args, kwargs)  # type: ignore[no-untyped-call]


def double_largest(x: torch.Tensor) -> torch.Tensor:
    return torch.max(x) * 2


def test_operations_of_their_own_are_refused() -> None:
    """Arrays of the host know nothing of what a class says of its tensors."""
    example = torch.ones(2).as_subclass(Largest)
    assert double_largest(example).item() == 246
    for given in (example, example.requires_grad_()):
        with pytest.raises(CompileError, match="a tensor of class Largest may compute otherwise"):
            dycl.rewrite(double_largest, (given,))


@pytest.mark.parametrize(
    "given",
    [
        torch.ones(2),
        torch.nn.Parameter(torch.ones(2)),
        torch.nn.Buffer(torch.ones(2)),
        torch.ones(2).as_subclass(Largest).as_subclass(torch.Tensor),
    ],
)
def test_plain_tensors_are_taken(given: torch.Tensor) -> None:
    assert "max" in dycl.rewrite(double_largest, (given,)).source
