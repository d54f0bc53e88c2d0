"""Assignment: tuples, stars, chains, augmented, del, annotated, subscripts and attributes."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def tuple_targets(x):
    """Nested tuple and list targets unpack tuples, lists and tensors."""
    (a, [b, c]), d = (x, (x * 2, 3)), 4
    top, bottom = x
    if top.sum() > bottom.sum():
        a, b = b, a
    return a, b, c + d, top - bottom


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def star_targets(x):
    """A starred target takes what is left, as a list."""
    first, *rest = [x, x + 1, x + 2]
    *init, last = (1, 2, 3)
    head, *middle, tail = "abcd"
    only, *nothing = [5]
    if x.sum() > 0:
        first = first + len(rest)
    return first, rest, init, last, head, middle, tail, only, nothing


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def chained_assignment(x):
    """a = b = value evaluates once and binds left to right, to the same object."""
    a = b = []
    a.append(1)
    c = d = x * 2
    if x.sum() > 0:
        d = d + 1
    i = values = [0, 0]
    i[1] = 5
    return a, b, a is b, c, d, values


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def chain_order(x):
    """In `i = a[i] = 1` the targets are bound from left to right."""
    a = [0, 0, 0]
    i = 0
    i = a[i] = 2
    if x.sum() > 0:
        i, a[i] = 0, 9
    return i, a


@case(inputs=[(POSITIVE, 3), (NEGATIVE, -3)])
def augmented_operators(x, n):
    """Augmented assignment with each operator on a run-time int and a known one."""
    a = n
    a += 2
    a -= 1
    a *= 3
    b = n
    b //= 2
    c = n
    c %= 4
    d = 7
    d **= 2
    d <<= 1
    d |= 1
    d ^= 8
    d &= 0xFF
    d >>= 1
    e = n
    e /= 2
    if x.sum() > 0:
        a += 1
    return a, b, c, d, e


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def augmented_subscript_evaluates_once(x):
    """In `a[f()] += 1` the index is evaluated once."""
    calls = []

    def index():
        calls.append("index")
        return 1

    counts = [0, 10]
    if x.sum() > 0:
        counts[index()] += 5
    counts[index()] -= 1
    return counts, calls


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def augmented_list_is_in_place(x):
    """+= on a list extends the list itself; + makes a new one."""
    a = [1]
    b = a
    a += (2, 3)
    c = a
    c = c + [4]
    if x.sum() > 0:
        b *= 2
    return a, b, c, a is b


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def augmented_tuple_and_string(x):
    """+= on tuples and strings binds a new object; other names keep the old one."""
    t = (1,)
    u = t
    t += (2,)
    s = "a"
    r = s
    s += "b"
    s *= 2
    if x.sum() > 0:
        u += (3,)
    return t, u, s, r


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def del_list_element(x):
    """del of list elements, slices and dict items."""
    outputs = [x * i for i in range(4)]
    del outputs[1]
    del outputs[-1]
    table = {"a": 1, "b": 2}
    del table["a"]
    numbers = [0, 1, 2, 3, 4, 5]
    del numbers[::2]
    if x.sum() > 0:
        return outputs[1], table
    return outputs[0], numbers


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def del_name(x):
    """del of a variable; it may be bound again."""
    y = x * 2
    z = y + 1
    del y
    if z.sum() > 0:
        y = z
    else:
        y = -z
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def read_after_del(x):
    """Reading a deleted name raises UnboundLocalError."""
    y = x * 2
    if x.sum() > 0:
        del y
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def annotated(x: torch.Tensor) -> torch.Tensor:
    """Annotated assignment; an annotation alone binds nothing."""
    scale: float = 2.0
    y: torch.Tensor
    if x.sum() > 0:
        y = x * scale
    else:
        y = x
    return y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def swap_elements(x):
    """Swapping list elements evaluates the right side first."""
    items = [x, x + 1, 3]
    items[0], items[2] = items[2], items[0]
    if x.sum() > 0:
        items[0], items[1] = items[1], items[0]
    return items


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def slice_assignment_of_lists(x):
    """Assigning to list slices replaces, inserts and removes."""
    a = [0, 1, 2, 3]
    a[1:3] = [9]
    a[:0] = [7, 8]
    a[::2] = [x.shape[0]] * 3
    b = a[:]
    b[2:] = []
    if x.sum() > 0:
        b[0] = x
    return a, b


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def evaluation_order(x):
    """Operands, arguments and displays are evaluated from left to right."""
    order = []

    def note(name, value):
        order.append(name)
        return value

    total = note("a", x) + note("b", 2) * note("c", 3)
    pair = [note("d", 1), note("e", 2)]
    table = {note("k1", "p"): note("v1", 1), note("k2", "q"): note("v2", 2)}
    pair[note("i", 0)] = note("value", 5)
    if note("test", x.sum() > 0):
        order.append("arm")
    return total, pair, table, order


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def walrus_in_comprehension(x):
    """An assignment expression inside a comprehension binds in the function."""
    squares = [last := i * i for i in range(4)]
    if x.sum() > 0:
        last += 1
    return squares, last


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def shadowed_builtins(x):
    """Locals and parameters may be called like builtins and like modules."""
    input = x * 2
    len = 3
    max = lambda a, b: a  # noqa: E731
    torch = "not the module"
    if input.sum() > 0:
        id = len
    else:
        id = max(1, 5)
    return input, id, torch


@case(inputs=[(POSITIVE, (1, 2)), (NEGATIVE, (3, 4))])
def unpack_argument(x, pair):
    """A tuple argument of numbers is unpacked."""
    low, high = pair
    if x.sum() > low:
        x = x * high
    return x, low + high


@case(inputs=[(MIXED,), (NEGATIVE,)])
class AttributeTargets(nn.Module):
    """Attributes as targets of tuple and augmented assignment, local to the call."""

    def __init__(self):
        super().__init__()
        self.count, self.last = 0, None

    def forward(self, x):
        self.count, self.last = 0, None
        for row in x:
            if row.sum() > 0:
                self.count += 1
                self.last = row
        count, self.count = self.count, 0
        last, self.last = self.last, None
        return count, last


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def unpacking_wrong_length(x):
    """Unpacking the wrong number of values raises ValueError with Python's text."""
    values = [1, 2]
    if x.sum() > 0:
        a, b, c = values
        return a, b, c  # never
    a, *b = values
    return a, b
