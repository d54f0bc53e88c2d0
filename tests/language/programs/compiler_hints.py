"""What programs say to compilers and type checkers; torch's control flow operators; class checks"""

import functools
import typing

import numpy as np
import torch
from torch import nn
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch._higher_order_ops.wrap import wrap

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

PAIR = [(POSITIVE, MIXED), (NEGATIVE, POSITIVE)]


@case(inputs=PAIR)
def hints_without_effect(x, y):
    """graph_break, mark_dynamic, mark_static_address, cast, annotate, fork and wait"""
    torch._dynamo.graph_break()
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_static_address(x)
    total = torch.jit.annotate(torch.Tensor, x + typing.cast(torch.Tensor, y))
    later = torch.jit.fork(torch.mul, x, y)
    return total + torch.jit.wait(later)


@case(inputs=PAIR)
def forked_and_waited_for(x, y):
    """A future is asked and waited for, and is no tensor"""
    futures = [torch.jit.fork(lambda a: (a * 2, a.sum()) if a.sum() > 0 else a, z) for z in (x, y)]
    try:
        torch.jit.wait(x)
    except TypeError:
        x = x + 1
    kinds = [isinstance(future, torch.Tensor) for future in futures]
    asked = futures[0].wait(), futures[0].done(), futures[1].value()
    return [torch.jit.wait(future) for future in futures], asked, x, kinds


@case(inputs=PAIR)
def wrapped_function(x, y):
    """A decorator made with functools.wraps, inside the call"""

    def doubling(function):
        @functools.wraps(function)
        def inner(*arguments):
            return function(*arguments) * 2

        return inner

    @doubling
    def added(a, b):
        return a + b

    return added(x, y)


@case(inputs=[(POSITIVE, MIXED), (NEGATIVE, POSITIVE), (POSITIVE * 9, MIXED)], may_refuse=True)
def loop_operator(x, y):
    """torch.while_loop carries a tensor and an integer"""

    def goes_on(steps, value):
        return value.sum() < 20  # never: traced by PyTorch

    def step(steps, value):
        return steps + 1, value + y.abs()  # never: traced by PyTorch

    return while_loop(goes_on, step, (torch.tensor(0), x))


@case(inputs=PAIR)
def scanned(x, y):
    """scan over rows and columns, forwards and backwards, with a dict for a carry"""

    def combine(carry, row):
        total = carry["total"] + row  # never: traced by PyTorch
        return {"total": total}, total * 2  # never: traced by PyTorch

    first, rows = scan(combine, {"total": torch.zeros(3)}, x)
    last, columns = scan(lambda c, r: (c + r, c - r), torch.zeros(2), y, dim=1, reverse=True)
    return first["total"], rows, last, columns


@case(inputs=PAIR)
def scanned_associatively(x, y):
    """associative_scan of a pair of tensors"""

    def combine(a, b):
        return a[0] + b[0], torch.maximum(a[1], b[1])

    return associative_scan(combine, (x, y), 1, combine_mode="generic")


@case(inputs=PAIR)
def mapped_over_pairs(x, y):
    """map over a list of tensors, which gives a dict"""
    from functorch.experimental.control_flow import map as map_rows

    return map_rows(lambda row, factor: {"sum": row[0] + row[1] * factor}, [x, y], y[0].clone())


@case(inputs=PAIR)
def wrapped_call(x, y):
    """The operator wrap calls a function"""
    return wrap(lambda a, b: (a + b).sin() if a.sum() > 0 else a - b, x, y)


class _Always(type):
    def __instancecheck__(cls, instance):
        return True


class _Anything(metaclass=_Always):
    pass


@case(inputs=PAIR)
def class_that_checks_itself(x, y):
    """isinstance asks the metaclass of the user; old tensor classes ask for the dtype"""
    if isinstance(x, _Anything) and isinstance([y], _Anything):  # known
        x = x + 1
    return x, isinstance(x, torch.FloatTensor), isinstance(x.long(), (torch.FloatTensor, int))


class _Base:
    factor = 4

    @classmethod
    def add(cls, x):
        return x + cls.factor

    @staticmethod
    def twice(x):
        return x * 2


class _Derived(_Base):
    factor = 5

    @classmethod
    def add(cls, x):
        return super().twice(x) + super().add(x) + super().factor


@case(inputs=PAIR)
def super_in_class_methods(x, y):
    """super() in a class method finds class methods, static ones and attributes"""
    return _Derived.add(x), _Derived().add(y)


@case(inputs=[(POSITIVE, 1), (NEGATIVE, 2), (MIXED, 0)])
def sequences_in_order(x, n):
    """< of lists and tuples: the first elements that differ decide, then the lengths"""
    first = x.sum().item()
    return (
        (first, 1) < (n, 2),
        [n, 2] <= [1, 2],
        [n, 2] >= [1],
        (n, first) > (1, 0.0),
        [n] < [1, n],
    )


@case(inputs=[(2,), (3,), (0,)])
def constants_repeated(count):
    """A constant tuple times a run-time number has as many elements as that says"""
    return count * (2, 3) * count, [1] * count, "ab" * count


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def decorators_with_settings(x):
    """``@disable(recursive=False)`` and ``@ignore(drop=True)`` give decorators."""

    @torch.compiler.disable(recursive=False)
    def doubled(y):
        return y * 2 if y.sum() > 0 else y

    @torch.jit.ignore(drop=True)
    def raised(y):
        return y + 1

    return doubled(x), raised(x)


@case(inputs=PAIR)
def sizes_constrained(x, y):
    """torch._constrain_as_size tells exporters something, and is looked at"""
    n = (x > 0).sum().item()
    torch._constrain_as_size(n)
    return torch.zeros(n) + y.sum()


@case(inputs=PAIR, refused="DYCL045")
def checkpoint_with_contexts(x, y):
    """Contexts around a checkpoint's function would have effects"""
    own = torch.utils.checkpoint.checkpoint(  # <- refused
        torch.add, x, y, use_reentrant=False, context_fn=torch.utils.checkpoint.noop_context_fn
    )
    return own


@case(inputs=PAIR)
def cond_with_other_arguments(x, y):
    """torch.cond takes no other arguments than its own: it raises"""
    try:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (y,), operand=1)
    except TypeError as error:
        return str(error), x + y


@case(inputs=PAIR, refused="DYCL044")
def a_number_for_cond(x, y):
    """PyTorch raises where an operand is a number, also within a tuple."""
    return torch.cond(x.sum() > 0, lambda p: p[0] + p[1], lambda p: p[0], ((y, 1),))  # <- refused


@case(inputs=PAIR)
def a_number_for_cond_of_a_number(x, y):
    """Where the test is a number of Python, cond is a plain call with any operands."""
    positive = bool(x.sum() > 0)
    return torch.cond(positive, lambda a, b: a + b, lambda a, b: a - b, (y, 1))


TYPES = (typing.List[int], dict[str, float], tuple[int, torch.Tensor], int | None, (float, str))  # noqa: UP006


@case(inputs=[([1, 2], {"a": 0.5}, (1, x)) for x in (POSITIVE, NEGATIVE)])
def types_of_content(numbers, table, pair):
    """torch.jit.isinstance asks for the types of all items"""
    size = pair[1].shape[0] if pair[1].sum() > 0 else float(numbers[0])
    values = (numbers, table, pair, numbers[0], table["a"], size, [], [1.0], {"b": 1}, None)
    return [[torch.jit.isinstance(value, kind) for kind in TYPES] for value in values]


@torch.compile(backend="eager", dynamic=True)
def halved_or_doubled(x):
    """A function of the file that torch compiles."""
    return x / 2 if x.sum() > 0 else x * 2


class Scaling(nn.Module):
    """A block, compiled in three ways by those who hold it."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(noise(3))

    def forward(self, x):
        return x * self.scale if x.sum() > 0 else x + 1  # never: run as PyTorch compiled it


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class HoldingCompiled(nn.Module):
    """torch.compile of functions, methods, modules, their ``forward``, and torch's own functions"""

    def __init__(self):
        super().__init__()
        self.block = torch.compile(Scaling(), backend="eager")
        self.other = Scaling()
        self.other.compile(backend="eager")
        self.bound = torch.compile(self.other.forward, backend="eager")
        self.relu = torch.compile(torch.relu, backend="eager")

    @torch.compile(backend="eager")
    def tripled(self, x):
        return x * 3 * self.other.scale  # never: run as PyTorch compiled it

    def forward(self, x):
        y = halved_or_doubled(self.block(x)) + self.other(x) + self.block.scale
        return self.bound(y) + self.relu(y) + self.tripled(x)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
@torch.compile(backend="eager")
def compiled_entry(x):
    """The entry point itself is compiled"""
    return halved_or_doubled(x) + 1


@torch.compiler.wrap_numpy
def last_first(rows):
    """A function of arrays, which tensors become on the way."""
    return rows[::-1].copy() if isinstance(rows, np.ndarray) else rows * 100  # known


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def arrays_in_between(x):
    """What wrap_numpy makes of a function does more than call it"""
    return last_first(x) * 2 if x.sum() > 0 else x
