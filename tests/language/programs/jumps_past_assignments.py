"""Jumps past an assignment: what is assigned after them keeps its old value where they land"""

import torch

from tests.language.harness import LARGE, NEGATIVE, POSITIVE, case


class Stop(Exception):
    pass


BOTH = [(POSITIVE,), (NEGATIVE,), (LARGE,), (POSITIVE / 4,)]


@case(inputs=BOTH)
def caught(x):
    """raise after a join inside of try, before an assignment that the handler looks past."""
    h = x * 2
    try:
        if x.sum() > 1:
            if x.sum() > 20:
                h = h + 1
            else:
                h = h - 1
            raise Stop
        x = h
    except Stop:
        return x, h
    return h, x


@case(inputs=BOTH)
def caught_and_gone_on(x):
    """The same where what follows the try reads it, and in a with that suppresses nothing."""
    h = x * 2
    with torch.no_grad():
        try:
            assert (2 if h.sum() > -4.6 else 3) > 2
            x = h
        except AssertionError:
            h = h / 2
        if x.sum() > 0:
            x = x * 3
    return h, x


@case(inputs=BOTH)
def broken(x):
    """break after a join, out of a loop of known length."""
    h = x * 2
    for _ in range(3):
        if x.sum() > 1:
            if x.sum() > 20:
                h = h + 1
            else:
                h = h - 1
            break
        x = h
    return h, x


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 3), (LARGE, 1), (POSITIVE, 0)])
def continued(x, n):
    """continue after a join, in a loop of run-time length."""
    h = x * 2
    for i in range(n):
        if x.sum() > 1:
            if x.sum() > 20:
                h = h + 1
            else:
                h = h - i
            continue
        x = h
    return h, x


@case(inputs=[(POSITIVE,), (LARGE,), (POSITIVE / 8,)])
def left(x):
    """break out of an endless loop, past two assignments."""
    h = x
    while True:
        count = 0 if h.sum() > 2 else 1
        if x.sum() > 4:
            if x.sum() > 20:
                h = h + 1
            else:
                h = h - 1
            break
        h = h + count
        x = h + 1
    return h, x


@case(inputs=BOTH)
def from_the_else(x):
    """The else of an inner loop leaves the outer one."""
    h = x * 2
    for i in range(3):
        for j in range(2):
            if h.sum() > 10 * j:
                h = h - 3
                break
        else:
            h = h + 1 if x.sum() > -10 else h - 1
            break
        x = h + i
    return h, x
