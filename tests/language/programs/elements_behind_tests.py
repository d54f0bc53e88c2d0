"""Elements of what may be empty, read behind a test of its size."""

import torch
from torch import nn

from tests.language.harness import case

ROWS = [
    (torch.tensor([[1, 2, 3], [2, 3, 4], [1, 1, 5]]),),
    (torch.tensor([[1, 2, 3], [2, 3, 4], [4, 4, 5]]),),
    (torch.tensor([[7, 2, 3], [2, 3, 1], [1, 1, 5]]),),
    (torch.tensor([[7, 2, 1], [2, 3, 3], [2, 4, 5]]),),
]


@case(inputs=ROWS)
def first_places(x):
    """The first place of a number in each row, where there is one."""
    found = []
    for row in x:
        places = (row == 1).nonzero(as_tuple=False)[:, 0]
        if places.shape[0] > 0:
            found.append(places[0].item())
        else:
            found.append(-1)
    return x, found


@case(inputs=ROWS)
def decision_behind_a_test(x):
    """A decision reads an element that is there on this path alone."""
    places = (x[0] == 1).nonzero()
    if places.shape[0] > 0 and places[0].item() > 1:
        return x + places[0]
    return x


@case(inputs=ROWS)
def largest_behind_a_test(x):
    """The largest of what may be empty."""
    places = (x[0] == 1).nonzero()
    if places.shape[0] == 0:
        return x
    if places.max().item() > 1:
        return x + 1
    return x + 2


@case(inputs=ROWS)
class LoopBehindATest(nn.Module):
    """What every round computes anew is there in the rounds alone."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(1, 8)

    def forward(self, x):
        places = (x[0] == 1).nonzero()
        y = x.sum().float()
        while places.shape[0] > 0 and y < 50:
            y = y + self.layer(places[0].float()).exp().sum() + 1
        return y


SCORES = [(torch.arange(12.0).reshape(4, 3) - shift,) for shift in (0, 4, 8, 20)]


@case(inputs=SCORES)
def best_of_a_mask(x):
    """Tensors indexed by one mask have as many rows as each other: the best of one order both."""
    scores, _ = x.max(1)
    kept = scores > 0.5
    boxes, values, low = x[kept], scores[kept], x[kept, 0]
    order = values.argsort(descending=True)[:2]
    return boxes[order], values[order], low * values


@case(inputs=SCORES)
def masks_that_change(x):
    """A mask that is changed between two uses leaves another number of rows."""
    kept = x.max(1)[0] > 0.5
    first = x[kept]
    kept[0] = True
    second = x[kept]
    return first, second, first.sum(0) + second.sum(0)
