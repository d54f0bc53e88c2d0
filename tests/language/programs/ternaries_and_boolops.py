"""Conditional expressions and and/or/not: short circuits, values, side effects."""

import torch

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def ternary(x):
    """Only the chosen side of a conditional expression is evaluated."""
    return x.log() if x.min() > 0 else x.exp()


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
def nested_ternary(x):
    """Conditional expressions associate to the right."""
    sign = 1 if x.sum() > 0 else -1 if x.sum() < 0 else 0
    return x * sign, sign


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def ternary_in_an_argument(x):
    """A dynamic conditional expression stands in the middle of a call."""
    return torch.sum(x * 2 if x[0, 0] > 0 else x * 3, dim=0 if x.dim() == 2 else 1)  # known


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def ternary_chooses_a_function(x):
    """A conditional expression gives the function that is called."""
    activation = torch.relu if x.sum() > 0 else torch.tanh
    return activation(x)


@case(inputs=[(POSITIVE, POSITIVE), (POSITIVE, NEGATIVE), (NEGATIVE, POSITIVE)])
def and_test(x, y):
    """and in a test."""
    if x.sum() > 0 and y.sum() > 0:
        return x + y
    return x - y


@case(inputs=[(POSITIVE, NEGATIVE), (NEGATIVE, POSITIVE), (NEGATIVE, NEGATIVE)])
def or_test(x, y):
    """or in a test."""
    if x.sum() > 0 or y.sum() > 0:
        return x + y
    return x - y


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def not_test(x):
    """not of a tensor gives a bool."""
    flag = not x.sum() > 0
    return flag, x * flag


@case(
    inputs=[
        (POSITIVE, POSITIVE, POSITIVE),
        (NEGATIVE, POSITIVE, NEGATIVE),
        (NEGATIVE, POSITIVE, POSITIVE),
        (NEGATIVE, NEGATIVE, NEGATIVE),
    ]
)
def mixed_operators(x, y, z):
    """not binds closer than and, and closer than or."""
    if x.sum() > 0 or y.sum() > 0 and not z.sum() > 0:
        return 1
    return 2


@case(inputs=[(POSITIVE,), (ZERO,)])
def or_gives_its_operand(x):
    """`a or b` gives one of the operands, not a bool."""
    count = int(x.sum())
    return count or "none", (count and 7), x.max().item() or -1


@case(inputs=[(POSITIVE,), (ZERO,)])
def and_gives_a_tensor(x):
    """`a and b` over tensors of one element gives one of the tensors."""
    first = x[0, 0]
    return first and first + 1, first or first - 1


def _log(calls, name, value):
    calls.append(name)
    return value


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def short_circuit_has_side_effects(x):
    """The right side's list append happens only if it is evaluated."""
    calls = []
    both = _log(calls, "a", x[0, 0] > 0) and _log(calls, "b", x[0, 1] > 0)
    if _log(calls, "c", x.sum() < 0) or _log(calls, "d", x.max() > 0):
        calls.append("in")
    return calls, bool(both)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def boolean_variables(x):
    """Run-time bools are combined, compared and counted."""
    a = bool(x.sum() > 0)
    b = x.max().item() > 20
    c = a and not b
    return a, b, c, a == b, a + b, True + a, a is b


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def known_side_decides(x):
    """A known operand decides without the dynamic one, or leaves only the dynamic one."""
    verbose = False
    if verbose and x.sum() > 0:  # known
        x = x * 100  # never
    if not verbose and x.sum() > 0:  # known
        x = x + 1
    if x.dim() == 2 or x.sum() > 0:  # known
        x = x * 2
    return x


@case(inputs=[(POSITIVE,), (ZERO,)])
def truth_of_one_element(x):
    """A tensor of one element is true if it is not zero."""
    flag = x.sum()
    if flag:
        return x / flag
    return x


@case(inputs=[(POSITIVE,)], messages=False, may_refuse=True)
def truth_of_many_elements(x):
    """The truth of a tensor of several elements raises, as in eager."""
    if x > 0:
        return x  # never
    return -x  # never


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def ternary_with_tuple(x):
    """A conditional expression of tuples is unpacked; precedence of the comma."""
    low, high = (0, 1) if x.sum() > 0 else (-1, 0)
    pair = low if x.sum() > 0 else high, 5
    return x.clamp(low, high), pair


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO - 2,)])
def walrus_in_test(x):
    """An assignment expression in a test binds in the function, also when the test fails."""
    if (total := x.sum().item()) > 5:
        return total * 2
    if total < -5 and (low := x.min()) < -2.5:
        return low
    return total


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO + 1,)])
def walrus_under_short_circuit(x):
    """An assignment expression on the right of `and` binds only if it is evaluated."""
    top = None
    if x.sum() > 0 and (top := x.max()) > 2:
        x = x + 1
    return x, top


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)], slow=True)
def chain_of_and(x):
    """Several operands: evaluation stops at the first false one."""
    seen = []

    def check(i):
        seen.append(i)
        return x.flatten()[i] > 0

    ok = check(0) and check(1) and check(2)
    return seen, ok


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def double_not(x):
    """not not turns a tensor into a bool."""
    return not not (x.sum() > 0), [not True, not 0.0, not ""]
