"""``contextvars``: variables that the call sets and resets."""

import contextvars

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

ALL = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]
SCALE = contextvars.ContextVar("scale", default=2.0)
NOTES = contextvars.ContextVar("notes", default=None)
UNSET = contextvars.ContextVar("unset")


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        notes = NOTES.get()
        if notes is not None:
            notes.append(x.sum())
        return self.linear(x) * SCALE.get()


@case(inputs=ALL)
class Collected(nn.Module):
    """What layers note is collected in a list that a variable holds meanwhile"""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([_Layer(), _Layer()])

    def forward(self, x):
        token, notes = NOTES.set([]), []
        try:
            for layer in self.layers:
                x = layer(x)
            notes = NOTES.get()
        finally:
            NOTES.reset(token)
        before = token.old_value is contextvars.Token.MISSING
        return self.layers[0](x), notes, NOTES.get(), before, token.var is NOTES


@case(inputs=ALL)
def nested(x):
    """Set on one path only, within what sets it, and reset in turn"""
    outer = SCALE.set(x.sum().item())
    found = [SCALE.get()]
    if x.sum() > 0:
        inner = SCALE.set(5.0)
        found.append(SCALE.get())
        SCALE.reset(inner)
    found.append(SCALE.get())
    SCALE.reset(outer)
    return x * SCALE.get(), found


@case(inputs=ALL)
def on_one_path(x):
    """A path on which it was never set meets one on which it was reset"""
    if x.sum() > 0:
        token = SCALE.set(3.0)
        x = x * SCALE.get()
        SCALE.reset(token)
    return x * SCALE.get()


@case(inputs=[(x, n) for (x,), n in zip(ALL, (3, 0, 1, 2), strict=True)])
def in_a_loop(x, n):
    """Set and reset in each turn of a loop whose length only the run knows"""
    for i in range(n):
        token = SCALE.set(SCALE.get() + i)
        x = x * SCALE.get()
        SCALE.reset(token)
    return x + SCALE.get()


@case(inputs=[(x, n) for (x,), n in zip(ALL, (3, 0, 1, 2), strict=True)])
def growing_in_a_loop(x, n):
    """Each turn sets it to something else, and what was before comes back after the loop"""
    token = SCALE.set(1.0)
    for i in range(n):
        SCALE.set(SCALE.get() + i)
    x = x * SCALE.get()
    SCALE.reset(token)
    return x * SCALE.get()


@case(inputs=ALL)
def without_a_value(x):
    """A variable that holds nothing: the default given, or a LookupError"""
    found = [UNSET.get(1)]
    token = UNSET.set(torch.numel(x))
    found.append(UNSET.get(1))
    UNSET.reset(token)
    try:
        found.append(UNSET.get())
    except LookupError:
        found.append(-1)
    return x, found, token.old_value is contextvars.Token.MISSING


@case(inputs=ALL)
def raised_between(x):
    """What raises leaves by way of ``finally``"""
    token = SCALE.set(3.0)
    try:
        if x.sum() > 0:
            raise ValueError("positive")
        x = x * SCALE.get()
    finally:
        SCALE.reset(token)
    return x * SCALE.get()


@case(inputs=ALL, refused="DYCL034")
def never_reset(x):
    """The next call would find what this one has set"""
    SCALE.set(3.0)  # <- refused
    return x * SCALE.get()


@case(inputs=ALL, refused="DYCL034")
def reset_on_some_paths(x):
    """So would it after a path that raises"""
    token = SCALE.set(3.0)  # <- refused
    if x.sum() > 0:
        raise ValueError("positive")
    SCALE.reset(token)
    return x


@case(inputs=ALL, refused="DYCL039")
def reset_twice(x):
    """A token is used once: the second time raises"""
    token = SCALE.set(3.0)
    SCALE.reset(token)
    SCALE.reset(token)  # <- refused
    return x  # never


@case(inputs=ALL, refused="DYCL039")
def reset_by_another(x):
    """A token of another variable: that raises"""
    token = SCALE.set(3.0)
    NOTES.reset(token)  # <- refused
    return x  # never


@case(inputs=[(x, n) for (x,), n in zip(ALL, (3, 0, 1, 2), strict=True)])
def numbers_of_calls(x, n):
    """A function that calls itself sets it to a number that only runs know"""

    def nested(n, x):
        if n <= 0:
            return x * SCALE.get()
        token = SCALE.set(SCALE.get() + 1)
        x = nested(n - 1, x + SCALE.get())
        SCALE.reset(token)
        return x + SCALE.get()

    return nested(n, x), SCALE.get()
