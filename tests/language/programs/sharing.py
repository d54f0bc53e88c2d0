"""Who else sees a write: views on their way, layouts, shapes changed in place, numpy's memory."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
SQUARE = torch.arange(1.0, 10).reshape(3, 3)
SQUARES = [(SQUARE,), (-SQUARE,)]
COUNTS = [(POSITIVE, 0), (NEGATIVE, 1), (ZERO, 3)]


@case(inputs=BOTH, may_refuse=True)
def view_on_its_way(x):
    """An argument that is a view sees the write of a later argument."""
    y = x * 1

    def change(t):
        if t.sum() > 0:
            t.add_(10)
        else:
            t.sub_(10)
        return t

    def both(a, b):
        return a + b[0]

    return both(y[0], change(y))


@case(inputs=BOTH)
def operand_on_its_way(x):
    """The left operand is written while the right one is evaluated, and its name bound anew."""
    y = x * 1

    def bump():
        nonlocal y
        if x.sum() > 0:
            y += 1
        old = y
        y = y * 2
        return old

    return y + bump(), y


@case(inputs=BOTH, may_refuse=True)
def rows_written_while_walked(x):
    """A for over a tensor's rows sees writes into the tensor."""
    y = x * 1
    positive = 0
    for row in y:
        if row.sum() > 0:
            positive += 1
        y += 5
    return positive


@case(inputs=BOTH)
def items_written_while_walked(x):
    """A tensor that comes twice in a tuple is written between its turns."""
    a, b = x * 1, x * 2
    sums = []
    for t in (a, b, a):
        a += 1
        if t.sum() > 0:
            a += 1
        sums.append(t.sum())
    return sums


@case(inputs=SQUARES)
def layout_after_join(x):
    """Arms give tensors of one shape and different strides."""
    y = x * 1 if x.sum() > 0 else (x * 1).t()
    return y.is_contiguous(), y.stride(), y


@case(inputs=SQUARES)
def reshape_copies_or_views(x):
    """reshape of a transposed tensor is a copy: a write does not reach the base."""
    y = x * 1 if x.sum() > 0 else (x * 1).t()
    flat = y.reshape(-1)
    flat[0] = 100
    return y, flat


@case(inputs=SQUARES)
def view_of_a_transposed_tensor(x):
    """view of a transposed tensor raises, in one arm only."""
    y = x * 1 if x.sum() > 0 else (x * 1).t()
    return y.view(-1)


@case(inputs=BOTH)
def shape_changed_in_place(x):
    """unsqueeze_ in one arm changes the object that other names hold."""
    y = x * 1
    same = y
    if x.sum() > 0:
        y.unsqueeze_(0)
    return same, same.shape, len(y)


@case(inputs=BOTH, refused="DYCL042")
def shape_of_a_shared_tensor_changed(x):
    """t_() of one of two objects over the same elements is refused."""
    y = x * 1
    z = y.detach()
    z.t_()  # <- refused
    return y, z


@case(inputs=BOTH, refused="DYCL037")
def identity_of_a_view(x):
    """`is` between a tensor and a view of all of it is refused, not guessed."""
    y = x * 1
    return y[:] is y  # <- refused


@case(inputs=BOTH, refused="DYCL035")
def array_over_a_tensor_that_is_written(x):
    """The array of numpy() sees a later write into the tensor: refused."""
    y = x.clone()
    row = y.numpy()[0]
    y.zero_()  # <- refused
    return float(row.max())


@case(inputs=BOTH)
def array_changed_by_an_operator(x):
    """+= of a numpy array changes the array that another name holds."""
    counts = np.zeros(3)
    same = counts
    counts += 1
    return float(same.sum()), x


@case(inputs=BOTH, refused="DYCL034")
class TensorOverAnArrayOfTheModel(nn.Module):
    """from_numpy of an array that outlives the call is written: refused."""

    def __init__(self):
        super().__init__()
        self.table = np.arange(3.0)

    def forward(self, x):
        table = torch.from_numpy(self.table)
        table += 1  # <- refused
        return table + x


@case(inputs=BOTH)
class ListInsideACopiedList(nn.Module):
    """A copy of a list of the model holds the same inner lists."""

    def __init__(self):
        super().__init__()
        self.rows = [[1], [2]]

    def forward(self, x):
        rows = self.rows.copy()
        rows[0].append(5)
        return len(self.rows[0]), x


@case(inputs=COUNTS)
def previous_is_the_same_object(x, n):
    """A name that follows another one in a loop sees the writes of later iterations."""
    h = x * 1
    previous = h
    for _ in range(n):
        previous = h
        h += 1
    return previous, h


@case(inputs=COUNTS, may_refuse=True)
def input_reached_in_the_second_iteration(x, n):
    """A loop writes into the argument from its second iteration on."""
    h = x * 1
    for _ in range(n):
        h += 1
        h = x
    return h


@case(inputs=COUNTS, may_refuse=True)
def other_tensor_in_the_second_iteration(x, n):
    """A loop writes into another tensor from its second iteration on."""
    a, b = x * 1, x * 2
    current = a
    for _ in range(n):
        current += 1
        current = b
    return a, b


@case(inputs=[(SQUARE.t(),), (SQUARE,)], refused="DYCL042")
def layout_of_an_argument_that_is_not_contiguous(x):
    """Layout of an argument whose example is transposed: refused, as layouts are not kept."""
    if x.is_contiguous():  # <- refused
        return x + 1
    return x - 1
