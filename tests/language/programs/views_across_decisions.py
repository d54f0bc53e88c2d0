"""Views that are taken before a decision and written after it: of one tensor, in several turns."""

import torch
import torch.nn.functional as F
from torch.export import Dim

from tests.language.harness import case

BOTH = [(torch.tensor([[1.0, -2.0], [3.0, 4.0]]),), (torch.tensor([[-1.0, 9.0], [-3.0, 2.0]]),)]

ROWS = {"x": {0: Dim("rows", min=1, max=8)}}


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


@case(inputs=BOTH)
def viewed_behind_a_decision(x):
    """What lay by rows when it was turned back is viewed after a decision."""
    y = x.relu().t()
    if x.sum() > 6.5:
        y = y.exp()
    return y.t().view(-1), y.t().contiguous().view(1, -1, 1), y.t().view_as(torch.ones(1, 4))


@case(inputs=BOTH)
def attention_behind_a_decision(x):
    """Attention lays its result out as its query: turned back, that is contiguous."""
    q = torch.stack([x, x]).relu().transpose(0, 1)[None]
    if x.sum() > 6.5:
        z = F.scaled_dot_product_attention(q, q, q)
        return z.transpose(1, 2).contiguous().view(size=(1, 2, 4)).round(decimals=3)
    return q


@case(inputs=[*BOTH, (torch.ones(1, 2),), (torch.ones(4, 2),)], dynamic_shapes=ROWS)
def viewed_at_any_size(x):
    """The same where a size is known at run time only."""
    y = x.relu().t()
    if x.sum() > 6.5:
        y = y * 2
    return y.t().view(-1), y.view(1, 2, -1)


@case(inputs=BOTH, refused_on_host="DYCL203")
def viewed_and_written(x):
    """What is viewed after a decision changes with the view."""
    y = x.relu().t()
    if x.sum() > 6.5:
        rows = y.t().view(-1)
        rows[0] = 50  # <- refused
        return y + 1
    return y
