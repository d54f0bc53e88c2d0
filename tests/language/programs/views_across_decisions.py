"""Views that are taken before a decision and written after it: of one tensor, in several turns."""

import torch

from tests.language.harness import case

BOTH = [(torch.tensor([[1.0, -2.0], [3.0, 4.0]]),), (torch.tensor([[-1.0, 9.0], [-3.0, 2.0]]),)]


@case(inputs=BOTH, refused_on_host="DYCL203")
def rows_around_a_loop(x):
    """The rows of a tensor are written in turn, each before a loop that ends at run time."""
    steps = 0
    for row in x * 2:
        row.add_(x.sum())
        while steps < 4 and row[0] > 2 * steps:
            steps += 1
    return row, steps


@case(inputs=[*BOTH, (torch.full((2, 2), -1.0),)], refused_on_host="DYCL203")
def pieces_around_a_loop(x):
    """Pieces that only a comprehension's list holds, and the tensor that they are parts of."""
    base = x + 1
    steps = 0
    total = 0
    for piece in [part[0] for part in base.chunk(2)]:
        piece.mul_(3)
        while steps < 3 and total < 5:
            steps += 1
            total += base.sum().item()
    return base, total


@case(inputs=[*BOTH, (torch.full((2, 2), -1.0),)], refused_on_host="DYCL203")
def copies_by_layout(x):
    """A copy that PyTorch makes of a transposed tensor only is written after a decision."""
    turned = (x * 1).t()
    y = x + 1 if x.sum() > 2 else x
    copied = turned.contiguous()
    copied.mul_(2)  # <- refused
    return turned + y, copied
