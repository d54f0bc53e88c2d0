"""Syntax that is rarer: match, local imports, parameter kinds, definitions inside arms."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def local_imports(x):
    """import and from-import inside a function."""
    import math
    from math import floor as down

    import torch.nn.functional as F

    if x.sum() > math.pi:
        return F.relu(x), down(2.5)
    return x, math.floor(-2.5)


@case(inputs=BOTH)
def parameter_kinds(x):
    """Positional-only, keyword-only and defaulted parameters together."""

    def mix(a, b=1, /, c=2, *rest, d, e=5, **named):
        if a.sum() > 0:
            return a * b + c, rest, d + e, named
        return b, c, rest, d, e, named

    return mix(x, d=1), mix(x, 7, 8, 9, 10, d=0, f=3), mix(x, d=2, e=1, b=4)


@case(inputs=BOTH)
def definition_inside_an_arm(x):
    """A function defined differently in two arms."""
    if x.sum() > 0:

        def change(value):
            return value + 1

    else:

        def change(value, factor=2):
            return value * factor

    return change(x)


@case(inputs=BOTH)
def lambda_forms(x):
    """Lambdas with defaults, stars and conditional expressions, called at once."""
    double = lambda v, n=2: v * n  # noqa: E731
    total = (lambda *vs, **ks: sum(vs) + ks["k"])(1, 2, k=3)
    sign = lambda v: "pos" if v.sum() > 0 else "neg"  # noqa: E731
    return double(x), double(x, n=3), total, sign(x), (lambda: 7)()


@case(inputs=BOTH)
def literals(x):
    """Numbers, strings and bytes in all their spellings."""
    numbers = 1_000, 0x1F, 0b101, 0o17, 1e-3, 1.5e3, -1
    text = "a" "b" + r"\n" + "\t" + """c
d"""
    if x.sum() > 0:
        return numbers, text, 2**100, ...
    return 3 + 0.0, "é\u00e9", text[-1], not None


@case(inputs=[(0,), (2,), (5,), (-7,)])
def match_numbers(n):
    """match over a run-time number: literals, alternatives, guards, capture, wildcard."""
    match n:
        case 0:  # known
            return "zero"
        case 1 | 2:  # known
            return "few"
        case k if k < 0:  # known
            return f"minus {-k}"
        case _:
            return "many"


@case(inputs=BOTH)
def match_structures(x):
    """match over tuples, dicts and classes of known structure."""
    state = ("move", 1, 2) if x.sum() > 0 else {"kind": "stop", "at": 3}
    match state:
        case [name, *coordinates]:  # known
            return name, coordinates
        case {"kind": "stop", "at": place}:  # known
            return "stop", place


@case(inputs=BOTH)
def conditional_import_and_type_checks(x):
    """Library predicates that are known: is_tensor, is_scripting, is_tracing, cuda."""
    if torch.jit.is_scripting() or torch.jit.is_tracing():  # known
        return x  # never
    if torch.is_tensor(x) and not x.is_cuda and not x.requires_grad:  # known
        x = x * 2
    if torch.cuda.is_available() and x.sum() > 1e9:  # known
        x = x.cuda()  # never
    return x if x.sum() > 0 else -x


@case(inputs=BOTH)
def semicolons_and_one_liners(x):
    """Several statements on one line; bodies on the line of their head."""
    a = 1; b = 2  # noqa: E702
    if x.sum() > 0: a += 1; b += 2  # noqa: E701, E702
    for i in range(2): b += i  # noqa: E701
    return a, b


@case(inputs=[*BOTH, (ZERO,)])
def long_expressions(x):
    """Expressions over several lines, method chains, nested calls."""
    y = (
        x.abs()
        .add(1)
        .log()
        .sum(
            dim=-1,
            keepdim=True,
        )
    )
    if (
        y.max() > 1
        and
        # a comment inside
        not (x.sum() < 0)
    ):
        return torch.relu(torch.cat([y, y * 2], dim=1)) @ \
            torch.ones(2, 1)
    return y


class WithComments(nn.Module):
    """Has a method in the middle of odd formatting."""

    # a comment before

    def   odd ( self , x ) :
        """Odd spaces."""
        if x . sum ( )>0 :

            # a comment in an arm
            return x [ 0 , : ]

        return - x[ 1 ]  # at the end


@case(inputs=BOTH, factory=True)
def odd_formatting():
    """Odd spaces, comments and blank lines do not matter."""
    return WithComments().odd


@case(inputs=BOTH)
def if_in_every_statement(x):
    """Dynamic expressions in return, subscripts, call names, conditions of loops and displays."""
    flag = x.sum() > 0
    items = [1 if flag else 2, *([3] if flag else [4, 5])]
    table = {("a" if flag else "b"): x if flag else None}
    picked = x[0 if flag else 1]
    return items, table, picked, (torch.relu if flag else torch.abs)(x), -x if flag else +x


@case(inputs=[(MIXED,), (ZERO,), (NEGATIVE,)])
def global_constants(x):
    """Module-level numbers, tensors, lists and functions are read."""
    if x.sum() > THRESHOLD:
        return x * WEIGHTS[1], NAMES[0]
    return _offset(x), len(NAMES), TABLE["t"] + x


THRESHOLD = -0.5
WEIGHTS = [1.0, 2.0]
NAMES = ("first", "second")
TABLE = {"t": torch.ones(3)}


def _offset(x):
    return x + THRESHOLD


@case(inputs=[(noise(3), n) for n in (1, 3)])
def statements_on_one_line(x, n):
    """What a statement reads may have been assigned on its own line"""
    y = x.clone(); n = n + 1 if n > 2 else n; z = y[1:]; z += 1; return y, z, n  # noqa: E702  # fmt: skip
