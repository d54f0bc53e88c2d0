"""The constructors of old: ``torch.FloatTensor(...)``, ``x.new(...)``; tensors made of tensors."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def sizes_make_a_fresh_tensor(x):
    """torch.FloatTensor(2, 3) is a new tensor in every call, filled and written in place."""
    hidden = torch.FloatTensor(x.size(0), 3).fill_(0)
    hidden += x
    tokens = torch.LongTensor(x.size(0)).zero_()
    tokens[0] = 4
    flags = torch.ByteTensor(x.size()).fill_(1)
    return hidden, tokens, flags, torch.Tensor(2, 2).fill_(3), torch.DoubleTensor(1).zero_()


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def a_torch_size_is_a_size_and_a_tuple_is_content(x):
    """torch.Tensor(x.size()) has that size; torch.Tensor((2, 3)) holds 2 and 3."""
    return torch.Tensor(x.size()).zero_(), torch.Tensor((2, 3)), x.new(x.size()).fill_(1) + x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def content_makes_a_fresh_tensor(x):
    """torch.LongTensor([1, 2]) may be written: the next call begins anew."""
    table = torch.LongTensor([[1, 2], [3, 4]])
    if x.sum() > 0:
        table[0] += 5
    return table, torch.FloatTensor([1, 2]) * x[0, :2], torch.BoolTensor([True, False])


@case(inputs=[(POSITIVE, 3), (POSITIVE, 0), (NEGATIVE, 5)])
def run_time_sizes_and_content(x, n):
    """An integer alone is a size, in a list it is content."""
    content = torch.LongTensor([n, 1])
    return torch.FloatTensor(n).zero_(), content, torch.LongTensor(2, n).fill_(7), x.new([n])


@case(inputs=[(POSITIVE,), (MIXED,)])
def new_of_a_tensor(x):
    """x.new() with nothing, sizes or content has the element type of x."""
    empty = x.new()
    rows = x.long().new(2, 2).fill_(1)
    return empty, rows, x.new([1.5, 2.5]), x.data.new(3).zero_()


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class HiddenOfWeight(nn.Module):
    """weight.new(layers, batch, size).zero_(): the first state of a recurrent network."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x):
        weight = next(self.parameters())
        hidden = weight.new(x.size(0), 4).zero_()
        while hidden.abs().sum() < 1.0:
            hidden = self.cell(x, hidden)
        return hidden


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def tensors_of_elements_are_stacked(x):
    """torch.tensor([a, b]) of tensors with one element, mixed with numbers, in nested lists."""
    best = x.argmax()
    flat = torch.tensor([x[0, 0], x.sum()])
    mixed = torch.tensor([x[0, 0], 2, best])
    nested = torch.tensor([[best, 1], [0, best]])
    wide = torch.tensor([best], dtype=torch.float64)
    return flat, mixed, nested, wide, torch.LongTensor([best]), torch.FloatTensor([best, x.max()])


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def elements_are_taken_where_they_stand(x):
    """A tensor made of elements keeps nothing of them: writing one does not change the other."""
    y = x.clone()
    made = torch.tensor([y[0, 0], y[0, 1]])
    y += 1
    made[0] = 9
    return y, made


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def tensors_of_arrays(x):
    """torch.FloatTensor(array) and the like; torch.tensor(array, dtype=...)."""
    table = x.numpy() * 2.0
    kept = table[table > 0]
    halves = torch.tensor(kept, dtype=torch.float64) / 2, torch.as_tensor(kept, dtype=torch.int32)
    number = torch.DoubleTensor(np.array(x.sum().item()))
    return torch.FloatTensor(kept), torch.LongTensor(table), torch.Tensor(kept), halves, number


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL030")
def a_size_from_an_array(x):
    """An array of one integer is a size, and what is in the tensor is not certain."""
    return torch.FloatTensor(np.array(int(x.sum().item()))).shape  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL035")
def an_array_under_a_tensor(x):
    """A tensor of the array's own element type has its memory."""
    table = x.numpy().astype(np.float64)
    made = torch.DoubleTensor(table)
    table[0] = 9  # <- refused
    return made  # never
