"""Comparisons: chains, identity, equality, membership."""

import torch

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def chained(x):
    """a < b < c with a dynamic middle."""
    if 0 < x.sum() < 50:
        return x
    return x * 0.1


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def middle_evaluated_once(x):
    """The middle of a chain is evaluated once, the last only if the first part holds."""
    calls = []

    def middle():
        calls.append("middle")
        return x.sum().item()

    def last():
        calls.append("last")
        return 50

    inside = 0 < middle() < last()
    return inside, calls


@case(inputs=[(1, 2, 3), (2, 2, 3), (1, 2, 2), (3, 2, 1)])
def chain_of_mixed_operators(a, b, c):
    """A chain may mix operators; `a < b > c` does not compare a and c."""
    return a < b > c, a <= b == c, a != b != c, (a < b) < c


@case(inputs=[(POSITIVE,), (ZERO,)])
def equality_of_numbers(x):
    """== on run-time numbers of different types."""
    total = x.sum().item()
    count = int(total)
    return (
        count == total,
        count == 0,
        count != 0.0,
        total == 10.5,
        count == "0",
        (count == 0) is True,
    )


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def identity_of_known_values(x):
    """`is` and `is not` with None, True and types stay what Python says."""
    found = None
    if x.sum() > 0:
        found = x
    missing = found is None
    return missing, found is not None, bool(x.sum() > 0) is True


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def identity_after_join(x):
    """`is` sees whether two names are one list; == compares the content."""
    a = [1]
    b = [1]
    c = a if x.sum() > 0 else b
    c.append(2)
    return a is c, b is c, a == b, a, b


@case(inputs=[(3,), (5,), (0,)])
def membership(n):
    """in and not in over tuples, lists, ranges, dicts, sets with a run-time number."""
    return (
        n in (3, 4),
        n not in [5],
        n in range(1, 6, 2),
        n in {3: "a"},
        n in {5, 7},
        n in [],
    )


@case(inputs=[("relu",)])
def known_membership(name, x=2):
    """in over strings and dicts is known at compile time for static arguments."""
    table = {"relu": torch.relu, "tanh": torch.tanh}
    if name in table and "el" in name:  # known
        return name
    return "unknown"  # never


@case(inputs=[(POSITIVE, POSITIVE), (POSITIVE, NEGATIVE)])
def tensor_comparisons(x, y):
    """Tensor comparison is elementwise; torch.equal and all() give one bool."""
    same = x == y
    if torch.equal(x, y):
        return same
    if (x == y).any() or same.all():  # known
        return y  # never
    return ~same, (x > y).sum(), bool((x != y).all())


@case(inputs=[(1, 1), (1, 2), (2, 1)])
def compare_tuples(a, b):
    """Tuples and lists compare element by element, in order."""
    return (a, b) < (1, 2), [a, b] == [1, 1], (a, b) >= (b, a), max((a, 1), (b, 0)), (a,) == [a]


@case(inputs=[(0.0,), (-0.0,), (float("nan"),), (float("inf"),), (1.5,)])
def compare_special_floats(value):
    """NaN, infinities and signed zero compare as Python floats do."""
    other = value
    return value == other, value != value, value < float("inf"), value == 0, value in [value, 1.5]


@case(inputs=[(True,), (False,)])
def bool_arguments(flag):
    """A bool argument is a bool at run time: arithmetic, comparison, text."""
    if flag:
        label = "yes"
    else:
        label = "no"
    return label, flag + 1, flag == 1, flag is True, str(flag), flag * 2.5, -flag, flag ^ True


@case(inputs=[(MIXED,), (POSITIVE,), (NEGATIVE,)])
def chain_of_tensors(x):
    """A chain over tensors of one element: `and` between two tensor tests."""
    low, mid, high = x[0, 0], x[0, 1], x[0, 2]
    if low < mid < high:
        return "rising"
    elif low > mid > high:
        return "falling"
    return "neither"


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def comparison_result_in_arithmetic(x):
    """A comparison of numbers gives a bool that counts as 0 or 1."""
    rising = x[0, 1].item() > x[0, 0].item()
    scores = [10, 20]
    return scores[rising], rising * 3 - (not rising), sum([rising, rising, True])


@case(inputs=[(POSITIVE, 2), (POSITIVE, 6), (NEGATIVE, 3)])
def containers_and_none(x, n):
    """A state of tensors is compared with None by == and !=, from either side"""
    state, kept = None, {}
    for _ in range(n):
        if state == None:  # noqa: E711
            state = [x, x + 1]
        state = [state[0] * 2, state[1]]
        kept["last"] = state[0]
        if state[0].sum() > 100:
            break
    return state, None != kept, (x,) == None, kept == None  # noqa: E711


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def never_equal(x):
    """Lists, dicts, sets and tuples beside numbers and texts: never equal"""
    n = int(x.sum().item())
    word, ones, table, chosen = f"{n}", [n], {"a": n}, {n, 2}
    many = [v for v in x.flatten().tolist() if v > 0]
    known = [1, 2] == n, (1, 2) != n, {} == n, n == "a", word == n
    made = ones == word, table != x[0, 0].item(), chosen == n, many == n, word != many
    return known, made, n in [[n], n, (1,)], ones == [n]
