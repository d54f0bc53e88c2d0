"""Functions that PyTorch does not trace for ``cond``, ``while_loop``, ``map``, ``scan``: it raises."""

import torch
from torch._export.db.examples.cond_closed_over_variable import CondClosedOverVariable
from torch._higher_order_ops import associative_scan, scan
from torch._higher_order_ops import map as map_rows

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
IN_TORCH = CondClosedOverVariable()


def _doubled(x):
    return x * 2  # never


@case(inputs=BOTH, refused="DYCL044")
def of_another_type(x):
    """A branch of torch.cond gives double precision"""
    return torch.cond(x.sum() > 0, lambda a: a.double(), _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def of_another_rank(x):
    """A branch of torch.cond gives a number"""
    return torch.cond(x.sum() > 0, lambda a: a.sum(), _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def nothing_beside_a_tensor(x):
    """Branches of torch.cond give None beside a tensor"""
    one, other = (lambda a: {"sum": a + 1, "mask": None}), (lambda a: {"sum": a * 2, "mask": None})
    return torch.cond(x.sum() > 0, one, other, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def a_float_is_carried(x):
    """torch.while_loop carries a float"""
    start = (torch.tensor(0), 3.0)
    return torch.while_loop(  # <- refused
        lambda i, y: i < x[0], lambda i, y: (i + 1, y + 1.0), start
    )


@case(inputs=BOTH, refused="DYCL044")
def lies_otherwise(x):
    """Branches of torch.cond give a tensor and a transposed one"""
    turned = lambda a: (a.T @ a).t() + 0  # noqa: E731
    return torch.cond(x.sum() > 0, lambda a: a.T @ a, turned, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def lies_behind_others(x):
    """Branches of torch.cond give a part of a new tensor, and a whole one"""
    return torch.cond(x.sum() > 0, lambda a: (a + 1)[:, 1:], lambda a: a[:, 1:] + 1, (x,))  # <- refused


@case(inputs=BOTH)
def both_lie_alike(x):
    """Branches of torch.cond give transposed tensors of different sizes"""
    one, other = (lambda a: (a.T @ a).t() + 0), (lambda a: (a.T @ a[:, 1:]).t() * 2)
    return torch.cond(x.sum() > 0, one, other, (x,))


@case(inputs=BOTH)
def integers_beside_tensors(x):
    """Branches of torch.cond give integers beside tensors"""
    return torch.cond(x.sum() > 0, lambda a: (a + 1, [3]), lambda a: (a * 2, [4]), (x,))


@case(inputs=BOTH, refused="DYCL044")
def given_back(x):
    """A branch of torch.cond gives a tensor that it closes over"""
    y = x * 3
    return torch.cond(x.sum() > 0, lambda a: y, _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def given_twice(x):
    """A branch of torch.cond gives one tensor twice"""

    def twice(a):
        b = a * 2  # never
        return b, b  # never

    return torch.cond(x.sum() > 0, twice, lambda a: (a * 2, a * 3), (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def written(x):
    """A branch of torch.cond writes to its operand"""
    y = x.clone()

    def write(a):
        a.add_(1)  # never
        return a.clone()  # never

    return torch.cond(x.sum() > 0, write, _doubled, (y,))  # <- refused


@case(inputs=BOTH)
def closed_over(x):
    """Branches of torch.cond that give new tensors of a size each, in another torch.cond"""
    y = x * 3

    def inner(a):
        return torch.cond(a.max() > 3, lambda b: b[:1] + y.sum(), lambda b: b * y, (a,))  # never

    return torch.cond(x.sum() > 0, inner, _doubled, (x,))


@case(inputs=BOTH, refused="DYCL044")
def carried_as_another_type(x):
    """The body of torch.while_loop gives double precision"""
    start = (x.abs(),)
    return torch.while_loop(lambda a: a.sum() < 9, lambda a: (a.double() + 1,), start)  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def carried_along(x):
    """The body of torch.while_loop gives what it takes"""
    start = (x.abs(), x + 1)
    return torch.while_loop(lambda a, b: a.sum() < 9, lambda a, b: (a + 1, b), start)  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def noted_in_a_branch(x):
    """A branch of torch.cond appends to a list of before"""
    seen = []

    def noting(a):
        seen.append(a.shape[0])  # never
        return a + 1  # never

    return torch.cond(x.sum() > 0, noting, _doubled, (x,)), seen  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def counted_by_a_body(x):
    """The body of torch.while_loop counts its steps in a variable of before"""
    steps = 0

    def counting(a):
        nonlocal steps
        steps += 1  # never
        return (a + 1,)  # never

    return torch.while_loop(lambda a: a.sum() < 9, counting, (x.clone(),)), steps  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def rows_given_back(x):
    """The function of torch's map gives a part of its row"""
    return map_rows(lambda row: row[:1], x)  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def rows_written(x):
    """The function of torch's map writes to a tensor that it closes over"""
    total = torch.zeros(3)

    def adding(row):
        total.add_(row)  # never
        return row + total  # never

    return map_rows(adding, x), total  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def carry_given_twice(x):
    """The function of torch's scan gives what it carries as its result, too"""

    def adding(carry, row):
        total = carry + row  # never
        return total, total  # never

    return scan(adding, torch.zeros(3), x)  # <- refused


@case(inputs=[(torch.ones(4, 3),)], refused="DYCL044")
def counted_by_a_scan(x):
    """How often the function of associative_scan is called is PyTorch's matter"""
    calls = []

    def adding(a, b):
        calls.append(1)
        return a + b

    return associative_scan(adding, x, 0, combine_mode="generic"), len(calls)  # <- refused


@case(inputs=BOTH)
def conditions_in_rows(x):
    """torch.cond in the functions of torch's map and scan, with a list of before that stays"""
    factors = [x * 2]

    def chosen(row):
        first = factors[0][0]  # never
        return torch.cond(row.sum() > 3, lambda a: a + first, lambda a: a * 2, (row,))  # never

    def carried(carry, row):
        return carry + chosen(row), row * 2  # never

    return map_rows(chosen, x), scan(carried, torch.zeros(3), x), factors


@case(inputs=BOTH, refused="DYCL044")
def raising(x):
    """A branch of torch.cond raises in Python: PyTorch raises, or takes it otherwise"""
    y = x * 3
    return torch.cond(x.sum() > 0, _doubled, lambda a: max(a, y), (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL032")
def of_torch_itself(x):
    """torch.cond in a module that PyTorch has: it is not run, and raises nothing to be caught"""
    try:
        return IN_TORCH(x.sum() > 0, x)  # <- refused
    except NotImplementedError:  # never
        return x  # never


@case(inputs=BOTH, refused="DYCL044")
def carried_by_a_scan_as_another_type(x):
    """The function of torch's scan gives double precision for what it carries"""
    return scan(lambda c, row: (c + row.double(), row * 2), torch.zeros(3), x)  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def carried_by_a_scan_in_another_shape(x):
    """The function of torch's scan gives more than it carries"""
    return scan(lambda c, row: (c + row, row * 2), torch.zeros(1), x)  # <- refused


@case(inputs=[(torch.ones(2),), (-torch.ones(2),)], refused="DYCL044")
def container_for_the_operator(x):
    """The operator behind cond takes no containers, as cond itself does"""
    plain = torch.cond(x.sum() > 0, lambda d: d["x"] + 1, lambda d: d["x"] - 1, ({"x": x},))
    operator = torch.ops.higher_order.cond
    return operator(x.sum() > 0, lambda d: d["x"] + 1, lambda d: d["x"] - 1, ({"x": plain},))  # <- refused


class _Pair(torch.nn.Module):
    """A layer that chooses between two others."""

    def __init__(self, one, other):
        super().__init__()
        self.one, self.other = one, other

    def forward(self, x):
        return torch.cond(x.sum() > 0, self.one, self.other, (x,))


def _pairs():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(3, 3) for _ in range(6)]
    return torch.nn.ModuleList(
        [_Pair(_Pair(*layers[:2]), layers[2]), _Pair(layers[3], _Pair(*layers[4:])), _Pair(*layers[2:4])]
    )


class _Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = _pairs()
        self.register_buffer("seen", torch.zeros(3))

    def shifted(self, x):
        return x + 1


@case(inputs=BOTH)
class Numbered(_Layers):
    """Layers with torch.cond in torch.cond, by enumerate: what is walked is not changed"""

    def forward(self, x):
        found = []
        for number, layer in enumerate(self.layers):
            x = layer(x) + number
            found.append(x)
        return found


@case(inputs=BOTH)
class Zipped(_Layers):
    """Such layers by zip, with others, and in a generator of the program"""

    def given(self, x):
        for layer, shift in zip(self.layers, (x, x * 2, x * 3), strict=True):
            x = layer(x) + shift
            yield x

    def forward(self, x):
        return [y * 2 for y in self.given(x)]


class _Shifting(_Layers):
    def shift(self, x):
        return x + 1


@case(inputs=BOTH)
class HeldInVariables(_Shifting):
    """Methods, slices, a part of a dict and super() in variables beside such layers"""

    def forward(self, x):
        shift, put, first, above = self.shifted, (found := {}).__setitem__, slice(0, 1), super()
        values = found.values()
        for number, layer in enumerate(self.layers):
            x = above.shift(layer(x))
            put(number, shift(x)[first])
        return list(values)


@case(inputs=[(torch.tensor([[1.0, -2.0, 0.5]]), 2), (torch.tensor([[-1.0, -2.0, 0.5]]), 3)])
class BesideNumbers(_Layers):
    """Slices and ranges with numbers of run time in variables beside such layers"""

    def forward(self, x, n):
        part, steps = slice(0, n), range(n)
        for layer in self.layers:
            x = layer(x)
        return x, [1, 2, 3, 4][part], sum(steps)


@case(inputs=BOTH)
class WrittenBefore(_Layers):
    """Tensors and a buffer that were written before such layers run, and between them"""

    def forward(self, x):
        x = x.clone()
        before = [x]
        x += 1
        for layer in self.layers:
            x = layer(x) + self.seen
            x[0] = 1.0
            before.append(x)
            self.seen += x.sum(0)
        return before


@case(inputs=BOTH, refused="DYCL044")
class AdvancesAWalk(_Layers):
    """A branch of torch.cond takes the next of an enumerate that was there before"""

    def forward(self, x):
        walk = enumerate(self.layers)
        y = torch.cond(x.sum() > 0, lambda a: next(walk)[1](a), lambda a: a * 2, (x,))  # <- refused
        return y + next(walk)[0]  # never


@case(inputs=BOTH, refused="DYCL044")
def appends_by_a_method(x):
    """A branch of torch.cond calls a list's method that a variable holds"""
    found = []
    put = found.append

    def filled(a):
        put(1)  # never
        return a * 2  # never

    y = torch.cond(x.sum() > 0, filled, _doubled, (x,))  # <- refused
    return y, found  # never


@case(inputs=BOTH, refused="DYCL044")
def writes_what_was_written(x):
    """A branch of torch.cond writes into a tensor that was written before"""
    y = x.clone()
    y += 1

    def written(a):
        y.add_(1)  # never
        return a * 2  # never

    z = torch.cond(x.sum() > 0, written, _doubled, (x,))  # <- refused
    return y, z  # never
