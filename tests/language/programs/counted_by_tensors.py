"""Integers in tensors where Python asks for a number: how often a sequence is repeated, from where to count."""

import torch

from tests.language.harness import case

ROWS = [
    (torch.tensor([3.0, 1.0, 2.0]),),
    (torch.tensor([-1.0, -2.0, 5.0]),),
    (torch.tensor([0.0, 0.0, 0.0]),),
]


def _places(x):
    return [i for i in range(3) if x[i] > 0]


@case(inputs=ROWS)
def sequences_repeated(x):
    """`[0] * t`, `t * (0,)`, a text, a size, a list of run-time length; less than 0 times."""
    t, places = x.argmax(), _places(x)
    rows = [[0, 1]] * (t - 1)
    return [0] * t, t * ("a",), "ab" * t, f"{int(t)}" * t, places * t, [x[0]] * t + [x[1]], rows


@case(inputs=ROWS)
def one_list_several_times(x):
    """What is repeated is one object, and the list itself stays as it was."""
    row = [1]
    rows = [row] * x.argmin().unsqueeze(0)
    row.append(2)
    return rows, row


@case(inputs=ROWS)
def enumerated_from(x):
    """`enumerate(items, t)` of rows, a list and a dict's keys; truth values count as 0 and 1."""
    t = x.argmax()
    scaled = [i * row for i, row in enumerate(x, start=t)]
    return torch.stack(scaled), list(enumerate(_places(x), t)), dict(enumerate("ab", x[0] > 0))


@case(inputs=ROWS)
def not_an_index(x):
    """Floats, and tensors of several elements, are a TypeError."""
    found = []
    try:
        found.append([0] * x[0])
    except TypeError as error:
        found.append(str(error))
    try:
        found.append(list(enumerate("ab", x.long())))
    except TypeError as error:
        found.append(str(error))
    return found, x[0]


@case(inputs=ROWS)
def repeated_in_place(x):
    """`items *= t` changes the list that another name holds."""
    items = [0]
    same = items
    items *= x.argmax()
    return same
