"""Whether two tensors are the same all over: ``torch.equal``, ``is_nonzero``, as methods too"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,), (ZERO,)]
UNDEFINED = POSITIVE * float("nan")
ROWS = torch.tensor([1.0, 2.0, 3.0])


@case(inputs=[*BOTH, (UNDEFINED,)])
def as_methods(x: Tensor) -> Any:
    """Methods are the functions of that name; what is undefined is not equal to itself"""
    return x.equal(x.abs()), x.allclose(x.abs()), torch.equal(input=x, other=x)


@case(inputs=BOTH)
def not_zero(x: Tensor) -> Any:
    """is_nonzero is what bool() is"""
    if torch.is_nonzero(x.sum()):
        x = x + 1
    return x, x[0, :1].is_nonzero()


@case(inputs=BOTH)
def several_elements(x: Tensor) -> Any:
    """Several elements are neither zero nor not"""
    try:
        return torch.is_nonzero(x)  # never
    except RuntimeError as error:
        return x, str(error)


@case(
    inputs=[(ROWS, ROWS), (ROWS, -ROWS), (ROWS, ROWS[:2]), (ROWS[:1], ROWS), (ROWS[:0], ROWS[:0])],
    dynamic_shapes={"x": {0: Dim("a", max=8)}, "y": {0: Dim("b", max=8)}},
)
def of_any_sizes(x: Tensor, y: Tensor) -> Any:
    """Tensors of different sizes are not equal: the host asks"""
    if torch.equal(x, y):
        return x * 2
    return x


class Settling(nn.Module):
    """Removes what is small until nothing is left to remove."""

    def forward(self, x: Tensor) -> Any:
        rounds = 0
        while True:
            kept = x[x > x.mean() * 0.5]
            rounds += 1
            if kept.equal(x):
                return kept.sum(), rounds
            x = kept


@case(inputs=[(ROWS,), (torch.tensor([9.0, 1.0, 8.0]),), (torch.ones(3),)], factory=True)
def until_nothing_changes() -> nn.Module:
    """A loop that ends once two tensors, of sizes that content says, are equal"""
    return Settling()


@case(inputs=[(POSITIVE,)], refused="DYCL045")
def with_a_number(x: Tensor) -> Any:
    """PyTorch raises for what is no tensor"""
    return torch.equal(x, 3), x  # <- refused
