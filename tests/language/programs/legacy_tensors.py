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


LENGTHS = [torch.tensor(n) for n in ([3, 2], [1, 4], [0, 0], [-1, -2])]


@case(inputs=[(x,) for x in LENGTHS], messages=False)
def sizes_that_tensors_hold(lengths):
    """A tensor without dimensions is a size beside others; a negative one raises."""
    table = torch.FloatTensor(2, lengths.max(), 3).fill_(0)
    return table, lengths.new(lengths.max(), 2).fill_(1)


ELEMENTS = [((1, 2), 3), ((300, 2), 5), ((-1, 2**31), 3), ((2, 2), 2**33), ((70000, 2), 1)]


@case(inputs=[(torch.tensor(x), n) for x, n in ELEMENTS])
def elements_of_smaller_types(x, n):
    """torch.IntTensor([x[0], n]) of what a tensor of int64 holds: what is too large raises."""
    ints = torch.IntTensor([x[0], n])
    return ints, torch.tensor([[x[0]], [x[1]]], dtype=torch.int16), torch.HalfTensor([x[1], n])


@case(inputs=[(torch.tensor(x), n) for x, n in ELEMENTS])
def truths_and_parts_as_small_integers(x, n):
    """Truths and tensors of one element are converted in the same way."""
    return torch.tensor([x[0] > n, True], dtype=torch.int8), torch.tensor([x[:1]], dtype=torch.uint8)


@case(inputs=[(x, 3) for x in (POSITIVE, NEGATIVE, POSITIVE * 1e5)])
def elements_of_half_precision(x, n):
    """What is too large for half precision is infinite, or raises, as in PyTorch."""
    return torch.tensor([x[0, 0], n], dtype=torch.float16), torch.HalfTensor([x[1, 1]])


@case(inputs=[(POSITIVE,)], refused="DYCL066")
def floats_as_elements_of_integers(x):
    """An element that is a float is no integer: PyTorch raises."""
    return torch.IntTensor([x[0, 0]])
