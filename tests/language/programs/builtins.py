"""Python's builtins over known values, run-time numbers and tensors."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def conversions(x):
    """int, float, bool, str, complex-free conversions between run-time numbers."""
    total = x.sum()
    return int(total), float(total), bool(total), int(float(total)), float(int(total)), int("3")


@case(inputs=[(2.5,), (-2.5,), (3.5,), (-0.4,), (7.0,)])
def rounding(value):
    """round to even, int towards zero, floor division and modulo of negatives."""
    return round(value), int(value), value // 1, value % 3, round(value, 1), divmod(value, 2)


@case(inputs=[(7, 3), (-7, 3), (7, -3), (0, 5)])
def integer_arithmetic(a, b):
    """//, %, divmod, ** and bit operators of run-time ints are Python's."""
    return a // b, a % b, divmod(a, b), a**2, a & b, a | b, a ^ b, ~a, a << 2, a >> 1, a / b, -a


@case(inputs=[(3, 0), (3, 2)])
def division_by_zero(a, b):
    """Division by a run-time zero raises ZeroDivisionError."""
    if b > 1:
        return a / b
    return a % b


@case(inputs=[(3, 5), (5, 3), (4, 4)])
def min_and_max(a, b):
    """min and max of several run-time numbers, of a list, with default; first of equals wins."""
    return min(a, b), max(a, b, 4), min([a, b, 4.0]), max([], default=-1), max(a, float(b))


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def min_and_max_with_key(x):
    """min and max with a key over tensor scores."""
    rows = [x[0], x[1]]
    best = max(rows, key=lambda row: row.sum().item())
    worst = min(range(2), key=lambda i: float(x[i].max()))
    return best, worst


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def sum_any_all(x):
    """sum, any and all over tensors, run-time bools and generators."""
    flags = [bool(row.sum() > 0) for row in x]
    return (
        sum(flags),
        any(flags),
        all(flags),
        sum([1, 2], 10),
        any(row.max() > 2 for row in x),
        all(value > 0 for value in x[0]),
        sum(row.sum() for row in x),
    )


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def any_stops_early(x):
    """any and all stop at the deciding element: side effects tell."""
    seen = []

    def positive(i):
        seen.append(i)
        return x[i, 0] > 0

    found = any(positive(i) for i in range(2))
    every = all(positive(i) for i in range(2))
    return found, every, seen


@case(inputs=BOTH)
def absolute(x):
    """abs and unary operators of tensors and numbers."""
    low = x.min().item()
    return abs(x), abs(low), -low, +low, abs(-3), -True, ~5, pow(2, 3), pow(low, 2), pow(2, 5, 3)


@case(inputs=BOTH)
def length(x):
    """len of tensors, lists, strings, dicts and ranges."""
    parts = [x] * (len(x) + 1)
    if x.sum() > 0:
        parts = parts + [x]
        n = len(parts)
    else:
        n = len(parts[0])
    return n, len("abc"), len({"a": 1}), len(range(0, 10, 3)), len(())


@case(inputs=BOTH)
class IsInstance(nn.Module):
    """isinstance and type tests on modules, tensors, numbers and containers."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2), nn.Dropout(0.5)])

    def forward(self, x):
        kinds = []
        for layer in self.layers:
            if isinstance(layer, nn.Linear):  # known
                x = layer(x)
                if x.sum() > 0:
                    x = x + 1
                kinds.append(type(layer).__name__)
            elif isinstance(layer, (nn.ReLU, nn.Tanh)):  # known
                x = layer(x) * 2
            elif type(layer) is nn.Dropout:  # known
                x = layer(x)
        checks = isinstance(x, torch.Tensor), isinstance(True, int), isinstance(1.0, (int, str))
        return x, kinds, checks, issubclass(nn.Linear, nn.Module), callable(self), type(x) is int


@case(inputs=BOTH)
class Attributes(nn.Module):
    """hasattr, getattr with a default, setattr, vars-free attribute tests."""

    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        if hasattr(self, "scale") and not hasattr(self, "bias"):  # known
            x = x * self.scale
        shift = getattr(self, "shift", None)
        if shift is None and x.sum() > 0:  # known
            shift = getattr(self, "offset", 3)
        return x, shift, hasattr(x, "shape"), hasattr(x, "nonsense")


@case(inputs=BOTH)
def map_and_filter(x):
    """map and filter over known lists with lambdas and with torch functions."""
    rows = list(map(torch.relu, x))
    scaled = list(map(lambda a, b: a * b, rows, [1, 2, 3]))
    even = list(filter(lambda i: i % 2 == 0, range(5)))
    truthy = list(filter(None, [0, 1, "", "a"]))
    if x.sum() > 0:
        even = even[::-1]
    return scaled, even, truthy


@case(inputs=BOTH)
def enumerate_and_zip_as_values(x):
    """zip, enumerate, range and reversed as values of their own."""
    pairs = list(zip([1, 2], "ab"))
    numbered = dict(enumerate(["p", "q"], 5))
    steps = range(2, 10, 3)
    if x.sum() > 0:
        pairs.append((3, "c"))
    return pairs, numbered, steps[1], steps[-1], list(steps), 5 in steps, list(zip())


@case(inputs=BOTH)
def zip_strict(x):
    """zip(strict=True) raises where the lengths differ."""
    names = ["a", "b"] if x.sum() > 0 else ["a", "b", "c"]
    return [(name, row.shape) for name, row in zip(names, x, strict=True)]


@case(inputs=BOTH)
def sorting(x):
    """sorted over run-time numbers, reversed order, keys with ties."""
    values = [row.sum().item() for row in x] + [1.0, 1.0]
    order = sorted(range(4), key=lambda i: values[i])
    turned = sorted([3, 1, 2], reverse=values[0] > 1)
    return sorted(values), sorted(values, reverse=True), order, turned, int(f"1{len(order)}", 8)


@case(inputs=[(POSITIVE,), (ZERO,)])
def errors_of_conversions(x):
    """int of nan raises ValueError as in Python."""
    ratio = (x[0, 0] / x[0, 0]).item()
    return int(ratio)


@case(inputs=[(5,), (0,), (-3,)])
def number_bases(n):
    """bin, hex, chr, ord, str methods of run-time ints."""
    return bin(n), hex(n), f"{n:b}", n.bit_length(), chr(97 + abs(n)), ord("a") + n, str(n).zfill(4)


@case(inputs=BOTH)
def slices_as_values(x):
    """slice objects and Ellipsis made by hand index tensors and lists."""
    window = slice(0, 2)
    y = x[:, window]
    if y.sum() > 0:
        y = y[..., slice(None, None, 2)]
    return y, [1, 2, 3][window], x[..., None].shape[-1], x[(slice(None), 1)]


@case(inputs=BOTH)
def assertion_of_known(x):
    """assert of a known truth disappears; isinstance asserts on inputs."""
    assert isinstance(x, torch.Tensor), "expects a tensor"  # known
    assert x.dim() == 2  # known
    if x.sum() > 0:
        x = -x
    return x


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 3)])
def powers_of_tensors(x, n):
    """pow() of tensors, and of numbers in its three-argument form."""
    y = pow(x, 2) if x.sum() > 0 else pow(x, n)
    return y, pow(2, x), pow(x, x.abs()), pow(n, 2, 5)


@case(inputs=[(2,), (5,)])
def first_arguments_by_name(n: int):
    """A first argument that is given to a function of Python's by its name; bytes are decoded."""
    numbered = list(enumerate(iterable=[1, n], start=n))
    decoded = str(object=n), str(b"abc", "utf8"), str(object=b"abc", encoding="ascii")
    return numbered, decoded, round(number=n / 3, ndigits=2)


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0)])
def no_round_of_tensors(x, n):
    """round() takes no tensors, which have a method of that name; item() and tolist() no arguments"""
    found = []
    for act in (lambda: round(x), lambda: round(x.sum(), n), lambda: x.tolist(n), lambda: x.item(n)):
        try:
            found.append(act())
        except TypeError as error:
            found.append(str(error))
    return found, round(x.sum().item(), 1), x.round()


class _Numbered:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return hash(self.number)


@case(inputs=[(2,), (-1,), (10**30,)])
def hash_of_integers(n: int):
    """The hash of an integer is the same in each process, also that of an object that gives it."""
    buckets = [0] * 4
    for k in (n, n + 1, n * 7):
        buckets[hash(k) % 4] += 1
    return buckets, hash(n), hash(n == 2), hash(_Numbered(n * 10**20))


class _Cell:
    def __init__(self, row, column):
        self.row = row
        self.column = column

    def __hash__(self):
        return hash((self.row, self.column))


class _Raw(_Numbered):
    def __hash__(self):
        return self.number


@case(inputs=[(2,), (0,), (-1,), (2**61,), (10**30,)])
def hash_of_tuples(n: int):
    """Tuples of integers have the same hash in each process, and objects that give it"""
    whole = 0
    for k in range(3):
        whole = hash((whole, (n, k), 2.5, n > 0))
    return whole, hash((n,)) % 7, hash(_Cell(n, 1)), hash(_Cell(1, n)) == hash((1, n))


@case(inputs=[(2,), (-1,), (2**62,), (10**30,)])
def hash_that_is_given(n: int):
    """What ``__hash__`` gives stays what it is up to 64 bits; only -1 cannot be one"""
    if n > 5:
        n = n + 1
    known = [hash(_Raw(k)) for k in (-1, True, 2**61, 2**63 - 1, 2**63, -(2**63), 10**30)]
    return known, hash(_Raw(n)), hash(_Raw(n > 0)), hash(_Raw(-n))


@case(inputs=[(2,), (-1,)], refused="DYCL038")
def hash_of_tuples_with_texts(n: int):
    """That of a text is another number in each process"""
    return hash((n, "a")) % 7  # <- refused


@case(inputs=[(2.5,), (-1.0,)], refused="DYCL045")
def hash_of_tuples_with_floats(value):
    """That of NaN is the object's, in a tuple too"""
    return hash((1, value)) % 7  # <- refused


@case(inputs=[(2.5,), (-1.0,)], refused="DYCL045")
def hash_of_floats(value):
    """That of NaN is the object's"""
    return hash(value)  # <- refused


@case(inputs=BOTH)
def sums_of_texts(x):
    """Texts are not summed: nothing is asked for before Python says so"""
    asked = []

    def words():
        asked.append(len(asked))  # never
        yield "word"  # never

    errors = []
    for items, start in ((words(), ""), (["a"], "b"), ([b"a"], b"")):
        try:
            errors.append(sum(items, start))
        except TypeError as error:
            errors.append(str(error))
    return x, errors, asked
