"""Operations of torch that raise for some content of their operands: the host raises as well."""

import torch
from torch import nn
from torch.nn import functional

from tests.language.harness import case

INSIDE = torch.tensor([[0.25, 0.5], [1.0, 0.0]])
OUTSIDE = [(INSIDE, INSIDE.round()), (INSIDE + 1, INSIDE.round()), (INSIDE, INSIDE - 1)]
COUNTS = [(torch.tensor([0, 1, 2, 2]),), (torch.tensor([0, -1, 2, 2]),)]


@case(inputs=OUTSIDE, messages=False)
def probabilities_outside(x, y):
    """`F.binary_cross_entropy` of what is no probability raises."""
    return functional.binary_cross_entropy(x, y)


class LossOfProbabilities(nn.Module):
    """A loss that is a module."""

    def __init__(self):
        super().__init__()
        self.loss = nn.BCELoss(reduction="none")

    def forward(self, x, y):
        """Call it by name."""
        return self.loss(input=x, target=y)


@case(inputs=OUTSIDE, messages=False)
class ProbabilitiesOutsideOfALoss(LossOfProbabilities):
    """`nn.BCELoss` of what is no probability raises."""


@case(inputs=COUNTS, messages=False)
def negative_numbers_counted(x):
    """`torch.bincount` of negative numbers raises."""
    return torch.bincount(x, minlength=4)


@case(inputs=COUNTS, messages=False)
def repeated_a_negative_number_of_times(x):
    """`repeat_interleave` with negative counts raises."""
    rows = torch.arange(4.0)
    return torch.repeat_interleave(rows, x), rows.repeat_interleave(repeats=x)


@case(inputs=[(torch.tensor([[-1.0, 2.0], [3.0, -4.0]]), torch.tensor([2, 1]))])
def negative_numbers_repeated(x, counts):
    """`repeat_interleave` of negative numbers, with counts given by name."""
    by_number = torch.repeat_interleave(x, repeats=2, dim=1), x.repeat_interleave(repeats=2)
    return by_number, torch.repeat_interleave(x, repeats=counts, dim=0)


@case(
    inputs=[(INSIDE, torch.tensor([[1, -1], [0, 1]]))],
    refused_on_host="DYCL412",
)
def margins_of_labels(x, labels):
    """PyTorch decomposes `multilabel_margin_loss` to something that gives other numbers."""
    return functional.multilabel_margin_loss(x, labels)


@case(inputs=COUNTS)
def known_operands_that_do_not_fit(x):
    """An operation of known tensors that fake tensors take, and eager does not."""
    if x.min() < 0:
        return torch.zeros(3, 2).index_select(0, torch.tensor(1) / 2)
    return x
