"""Tensors split by lists of sizes whose length only the run knows."""

import operator

import torch
from torch import Tensor

from tests.language.harness import case, noise

X = noise(5, 3)
RUNS = [(X, torch.tensor(runs)) for runs in ([0, 0, 1, 2, 2], [0, 0, 0, 0, 0], [0, 1, 2, 3, 4])]


def lengths(runs: Tensor) -> Tensor:
    """Return how often each number comes in a row."""
    return torch.unique_consecutive(runs, return_counts=True)[1]


@case(inputs=RUNS)
def summed(x: Tensor, runs: Tensor) -> Tensor:
    """A part for each number of a list made of a tensor."""
    return torch.stack([part.sum(0) for part in torch.split(x, lengths(runs).tolist())])


@case(inputs=RUNS, slow=True)
def by_tensors(x: Tensor, runs: Tensor) -> tuple[Tensor, int]:
    """The sizes may be tensors of one integer; the dimension may be another one."""
    parts = x.t().split(tuple(lengths(runs)), dim=-1)
    widths = 0
    for part in parts:
        widths += part.shape[1] * len(parts)
    return parts[-1], widths


@case(inputs=[*RUNS, (X, torch.tensor([3, 3, 3, 9, 9])), (X, torch.tensor([9, 2, 2, 2, 9]))])
def that_may_not_fit(x: Tensor, runs: Tensor) -> tuple[list[int], Tensor]:
    """Sizes that do not sum up to the tensor's are PyTorch's error."""
    sizes = [int(n) for n in lengths(runs[runs < 9])]
    parts = x.split_with_sizes(sizes)
    return sizes, parts[0]


@case(inputs=[(X, torch.tensor([3, 2])), (X, torch.tensor([7, -2])), (X, torch.tensor([5, 0]))])
def that_may_be_negative(x: Tensor, sizes: Tensor) -> Tensor:
    """Negative sizes are an error, whatever the sum is; parts without rows are none."""
    kept = sizes[sizes != 9].tolist()
    return torch.split(x, kept)[-1]


@case(inputs=RUNS, slow=True)
def indices(x: Tensor, runs: Tensor) -> tuple[int, int, str]:
    """``operator.index`` of an integer tensor is its number; of others it is an error."""
    counts = lengths(runs)
    try:
        place = operator.index(counts)
    except TypeError as error:
        return operator.index(counts[0]), operator.index(x[0, 0] > 0), str(error)
    return place, operator.index(len(runs)), ""
