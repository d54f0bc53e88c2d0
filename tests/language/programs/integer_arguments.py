"""Tensors of one integer, and run-time truths, where operations take numbers; ``one_hot``."""

import math
import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

LENGTHS = torch.tensor([2, 4, 1])
SAME = torch.tensor([3, 3, 3])
NONE = torch.tensor([0, 0, 0])


@case(inputs=[(LENGTHS,), (SAME,), (NONE,)], slow=True)
def the_mask_of_lengths(lengths):
    """torch.arange(lengths.max()) and a mask made with it."""
    steps = torch.arange(lengths.max())
    return steps[None, :] < lengths[:, None]


@case(inputs=[(LENGTHS,), (SAME,), (NONE,)])
def sizes_that_are_tensors(lengths):
    """zeros, new_zeros, full, repeat and expand with sizes that are tensors."""
    longest = lengths.max()
    return (
        torch.zeros(longest, 2),
        lengths.new_zeros(2, longest),
        torch.full((longest,), 1.5),
        torch.ones(1, 2).repeat(longest, 1),
        torch.ones(1, 2).expand(longest, 2),
    )


@case(inputs=[(LENGTHS,), (SAME,), (torch.tensor([2, 9, 9]),)])
def a_count_that_is_a_tensor(lengths):
    """topk(k) with a tensor for k; more than there are raises as in PyTorch."""
    return lengths.float().topk(lengths[0]).values


@case(inputs=[(LENGTHS,), (SAME,), (NONE,)])
def classes_that_are_found(labels):
    """F.one_hot(labels) has as many classes as the largest label says."""
    return F.one_hot(labels)


@case(inputs=[(LENGTHS, 5), (LENGTHS, 6), (NONE, 1), (SAME, 3), (torch.tensor([-1, 0, 0]), 3)])
def classes_at_run_time(labels, classes):
    """F.one_hot(labels, n): a label that is not below n, or below 0, raises."""
    return F.one_hot(labels, classes), F.one_hot(labels, labels.max() + 1)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def truths_among_arguments(x):
    """keepdim=, descending= and the like decided at run time."""
    flag = bool(x.sum() > 0)
    values, indices = torch.sort(x, dim=1, descending=flag)
    return x.sum(1, keepdim=x.max().item() > 0.5), values, indices


@case(inputs=[(noise(1, 2, 3, 4), True), (noise(1, 2, 3, 4), False)])
def causal_attention_or_not(x, causal):
    """scaled_dot_product_attention(is_causal=...) decided by an argument."""
    return F.scaled_dot_product_attention(x, x, x, is_causal=causal)


@case(inputs=[(2.5,), (3.0,), (0.0,), (-1.5,), (float("inf"),), (float("nan"),)])
def steps_up_to_a_float(end):
    """torch.arange(end) of a run-time float has the integers below it, as floats."""
    return torch.arange(end) * 0.5, torch.arange(-1, end)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class SizesOfTheModel(nn.Module):
    """Sizes that are buffers of the model: their numbers are known."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(3))

    def forward(self, x):
        zeros = torch.zeros(self.count, 2)
        rows = x.view(self.count, -1) if x.sum() > 0 else x.reshape(-1, self.count)
        return zeros, rows, x.new_ones(self.count), x.repeat(1, self.count), torch.arange(self.count)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], rounds=True)
class SizesThatGrow(nn.Module):
    """A buffer that the call writes is read anew."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(1))

    def forward(self, x):
        self.count += 1
        return torch.zeros(self.count, 2) + x.sum()


@case(inputs=[(LENGTHS, 0), (SAME, -1), (NONE, -3), (torch.tensor([4, 0, 0]), 0)])
def a_part_that_begins_at_a_tensor(lengths, shift):
    """narrow() from where a tensor says, from behind too; a part that goes beyond raises."""
    steps = torch.arange(4.0)
    start = lengths[0]
    return steps.narrow(0, start, 1), torch.narrow(steps, 0, length=2, start=lengths[2] + shift)


@case(inputs=[(LENGTHS,), (SAME,), (NONE,), (torch.tensor([-1, 5, 2]),)])
def sequences_repeated_by_tensors(lengths):
    """[0] * n, (1, 2) * n and n * "ab" with a tensor for n; what is repeated is one object."""
    count = lengths.min()
    row = [0] * count
    row.append(1)
    rows = [lengths] * torch.tensor(2)
    return row, count * (1, 2), "ab" * count, rows, [0.5] * (6 - count)


@case(inputs=[(LENGTHS,), (SAME,), (NONE,)])
class CacheOfRows(nn.Module):
    """Keys are written into a cache from where a tensor of the call says how long it is."""

    def forward(self, lengths):
        data = torch.zeros(6, 2)
        length = torch.tensor(1)
        for step in range(2):
            rows = lengths[step] * torch.ones(2, 2)
            data.narrow(0, length, 2).copy_(rows)
            length.add_(lengths[2].clamp(max=1) + 1)
        return data, length, torch.narrow(data, 0, 0, length)


@case(inputs=[(torch.tensor(8.5), torch.tensor(3)), (torch.tensor(0.25), torch.tensor(2))])
def ranges_of_floats(end, step):
    """torch.arange to a float tensor, by steps of floats or of run time."""
    down = torch.arange(end, 0, -1.5)
    return torch.arange(end), torch.arange(0, end, 1.5), down, torch.arange(0.5, 6.0, step)


@case(inputs=[(torch.tensor(v),) for v in (2.0, -1.0, float("inf"))])
def ranges_that_lead_nowhere(end):
    """A range of floats whose end is before its start, or infinite."""
    try:
        return torch.arange(0.5, end, 0.5), torch.arange(0, 1, end - math.inf)
    except RuntimeError:
        return end
