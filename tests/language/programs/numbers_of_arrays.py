"""Numbers in arrays of numpy where torch takes Python's: bounds, places, sizes, operands."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

TOKENS = [(noise(5, 3, seed=seed) * 3,) for seed in range(6)]
TOKENS += [(noise(1, 3).repeat(5, 1) * 3,)]
ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


class _Experts(nn.Module):
    def __init__(self, count=3):
        super().__init__()
        self.router = nn.Linear(3, count)
        self.experts = nn.ModuleList(nn.Linear(3, 3) for _ in range(count))

    def routed(self, x, top):
        """Give weights, the order of tokens by expert, and how many each expert has."""
        weights, chosen = self.router(x).softmax(-1).topk(top)
        order = chosen.view(-1).argsort(stable=True)
        counts = torch.zeros(len(x), 3, dtype=torch.int64).scatter_(1, chosen, 1).sum(0)
        return weights, order, counts


@case(inputs=TOKENS, slow=True)
class CountedTokens(_Experts):
    """Each expert takes as many of the sorted tokens as an array says; idle experts are skipped."""

    def forward(self, x):
        weights, order, counts = self.routed(x, 2)
        tokens, parts, start = x[order // 2], [], 0
        for number, count in enumerate(counts.cpu().numpy()):
            end = start + count
            if count == 0:
                continue
            parts.append(self.experts[number](tokens[start:end]))
            start = end
        found = torch.cat(parts) if len(parts) else tokens.new_empty(0)  # known
        placed = torch.empty_like(found)
        placed[order] = found
        return (placed.view(*weights.shape, -1) * weights[..., None]).sum(1)


@case(inputs=TOKENS)
class EndsOfTokens(_Experts):
    """The slice of each expert lies between two ends that are elements of an array."""

    def forward(self, x):
        _, order, counts = self.routed(x, 1)
        ends = counts.numpy().cumsum(0)
        out = torch.zeros_like(x)
        for number, end in enumerate(ends):
            start = 0 if number == 0 else ends[number - 1]
            if start == end:
                continue
            rows = order[start:end]
            out[rows] = self.experts[number](x[rows])
        return out


@case(inputs=ROWS)
def places_of_an_array(x):
    """Elements of an array are places that are read and written, sizes, and lengths."""
    places = x.argmax(1).numpy()
    n = places.sum()
    y = x.clone()
    y[0, places[0]] = n
    y[1, : places[1]] = -1.0
    return x[:, places[0]], y, torch.zeros(n, 2), x.new_ones((2, n)), torch.arange(6)[:n]


@case(inputs=ROWS)
def operands_of_an_array(x):
    """Elements of arrays of integers and floats are operands of torch's operators."""
    numbers, sizes = x.double().sum(1).numpy(), (x > 0).sum(0).numpy()
    steps = torch.arange(3)
    if numbers[0] > 0:
        return x * numbers[0], numbers[1] - x, steps + sizes[0], sizes[1] * x, x == sizes[2]
    return x / x.numpy()[0, 1].clip(1), steps * numbers[1], sizes[0] - steps, steps < sizes[1], x


@case(inputs=ROWS, slow=True)
def places_that_are_numbers_of_either_kind(x):
    """`min(place, 1)` is numpy's integer or Python's, by the path: an index of anything."""
    a = x.numpy().copy()
    row, column = np.unravel_index(np.argmax(a), a.shape)
    right = a[row, min(column + 1, a.shape[1] - 1)]
    left = a[row, max(column - 1, 0)]
    shift = 0.25 if right > left else -0.25
    a[min(row, 0), max(min(column, 1), 0)] = shift
    kept = [float(number) for number in a[row] if number > left]
    kept.append(shift)
    names, known = ("left", "middle", "right"), [10, 20, 30]
    return a, kept[min(column, 0)], known[min(column, 1)], x[min(row, 0)], names[max(column, 1)]


@case(inputs=ROWS)
def a_number_of_either_kind_as_a_key(x):
    """It is equal to the key, and the key that is put in has its own type."""
    place = x.numpy().argmax()
    counts = {0: 1, 1: 2}
    return counts.get(min(place, 1), 0), counts[max(min(place, 1), 0)]


ONE_PLACE, IN_A_ROW, TWO_PLACES = torch.tensor([1]), torch.tensor([[1]]), torch.tensor([1, 0])


@case(inputs=[(torch.tensor([[1.0, 2.0], [3.0, 4.0]]),), (torch.zeros(2, 2),)])
def tensors_of_one_integer_as_indices(x):
    """To numpy, a tensor of one integer is that integer, whatever its rank."""
    array = x.numpy() * 2
    array[:, ONE_PLACE] = x.numpy()[0] - 1
    return array[ONE_PLACE], array[:, ONE_PLACE], array[IN_A_ROW], array[TWO_PLACES]


@case(inputs=ROWS)
def tensors_of_numbers_of_arrays(x):
    """torch.tensor of numpy's numbers has their type, in lists the type that holds them all"""
    array = x.numpy()
    wide, place = array.astype(np.float64), array.argmax()
    short = (array * 10).astype(np.int8)[0, 0]
    single = [torch.tensor(n) for n in (array[0, 0], wide.sum(), place, short, array[0, 1] > 0)]
    mixed = torch.tensor([[array[0, 0], 2.5], [1, place]]), torch.tensor([short, True])
    rounded = torch.as_tensor(place, dtype=torch.float32), torch.tensor((wide[0, 0], place))
    listed = torch.stack([torch.tensor(number) for number in array[0]])
    return single, mixed, rounded, listed, torch.tensor([short, place], dtype=torch.long)


@case(inputs=ROWS, refused="DYCL030")
def cut_to_integers(x):
    """A float of numpy's is not made an integer tensor"""
    return torch.tensor(x.numpy()[0, 0], dtype=torch.int64)  # <- refused


@case(inputs=ROWS)
def bounds_that_arrays_give(x):
    """Numbers of numpy's are bounds, fill values, factors and exponents, as Python's are"""
    array, filled = x.numpy(), x * 1
    most, place = array.max() / 2, array.argmax()
    clamped = x.clamp(max=most), x.clamp(-1, most), x.long().clamp(max=place)
    made = torch.full((2,), most), torch.full((2,), place), torch.full_like(x, most)
    chosen = torch.where(x > 0, most, x), x.masked_fill(x > 0, most), x.new_full((2,), most)
    computed = torch.add(x, x, alpha=most), torch.lerp(x, -x, most), x.abs().pow(most)
    filled.clamp_(max=most)
    return clamped, made, chosen, computed, filled, nn.functional.leaky_relu(x, most)


_TABLE = np.arange(12.0).reshape(3, 4)


@case(inputs=ROWS)
def tensors_as_indices(x):
    """Integers that tensors hold at run time, lists of places and masks index arrays"""
    array, row = x.numpy() * 2, x.sum(1).argmax()
    column = x.argmax() % 3
    single = array[row, column], array[row], array[:, column[None]], _TABLE[column, 1], _TABLE[row]
    several = array[x > 0], array[:, x[0].argsort()], array[row, x[0].argsort()[:2]], array[row:]
    return single, several, array[-row], array[0][x[1].argsort()[:0]], array[column.int() // 2]


@case(inputs=ROWS)
def tensors_as_places_to_write(x):
    """A store, and an operator in place, at a tensor of run time"""
    array = x.numpy() * 2
    array[x.sum(1).argmax(), 0] = 7
    array[x < 0] = 9.5
    array[:, x[0].argsort()[:2]] -= 1
    array[x.sum(1).argmax()] += 1
    return array


@case(inputs=[(POSITIVE, torch.tensor(1)), (NEGATIVE, torch.tensor(-2)), (MIXED, torch.tensor(2))])
def tensor_out_of_range(x, place):
    """There is an IndexError where the array has no such row"""
    return x.numpy()[place] * 2


@case(inputs=ROWS, refused="DYCL059")
def one_truth_as_an_index(x):
    """A tensor of one truth is an integer to numpy, which is refused"""
    return x.numpy()[x.sum() > 0]  # <- refused


@case(inputs=ROWS, refused="DYCL059")
def any_number_of_places(x):
    """Where one place is found, numpy gives an element: as many as there are is refused"""
    return x.numpy()[0][(x[0] > 0).nonzero()[:, 0]]  # <- refused


@case(inputs=ROWS)
def doubles_as_elements(x):
    """A float of numpy's of double precision is stored in a tensor, as Python's are"""
    means, counts = torch.zeros(3), torch.zeros(2, dtype=torch.int64)
    means[0] = np.mean([x[0, 0].item(), x[0, 1].item()])
    means[1:] = np.sqrt(abs(x[1, 2].item()))
    means[means > 1] = x.numpy().astype(np.float64).max()
    counts[x.argmax() % 2] = np.mean([x[0, 0].item(), 4.5])
    return means, counts


@case(inputs=ROWS, refused="DYCL030")
def singles_as_elements(x):
    """PyTorch raises where a float of single precision is stored: refused"""
    means = torch.zeros(3)
    means[0] = x.numpy().max()  # <- refused
    return means  # never


@case(inputs=ROWS)
def element_in_no_row(x):
    """An integer for each dimension gives an element, whatever it is of; one may be out of range."""
    array, best = x.numpy() * 2, int(x[0].argmax())
    marks = np.zeros((2, 3), dtype=bool)
    marks[1, best] = True
    if x.sum() > 0:
        return array[1, best], array[-1][best], marks[1, best], array[best, np.int64(1)]
    return marks[0, best], array[7, best]


@case(inputs=ROWS)
def masked_elements(x):
    """A masked array is filled before an integer of run time asks for an element."""
    array, best = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), int(x[0].argmax())
    return x * float(array.filled(-1)[best])


@case(inputs=ROWS, refused="DYCL059")
def masked_elements_themselves(x):
    """What an element of a masked array is depends on its mask."""
    array, best = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), int(x[0].argmax())
    return x, array[best] is np.ma.masked  # <- refused
