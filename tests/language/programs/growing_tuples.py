"""Variables that hold a longer tuple in each iteration of a loop that ends at run time."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6), (POSITIVE, 2)]


@case(inputs=COUNTED)
def tuples_that_grow(x, n):
    """A tuple gets longer in each iteration, is a key, is walked and compared"""
    tokens, seen = (), {}
    for i in range(n):
        tokens = tokens + (i * 2,)
        seen[tokens] = len(tokens)
        if i == 4:
            tokens = ()
    total = 0
    for token in tokens:
        total += token
    return tokens, seen, total, tokens == (0, 2), tokens[:1], x


@case(inputs=COUNTED)
def pairs_that_grow(x, n):
    """Tuples of pairs, by ``+=``; the first number is an integer, the next ones are floats"""
    steps = ((0, 0),)
    i = 0
    while i < n:
        steps += ((i, x.sum().item()),)
        i += 1
    return steps, [first for first, _ in steps]


@case(inputs=COUNTED)
def tensors_that_grow(x, n):
    """A tuple of tensors, put together at the end"""
    states = (x,)
    for i in range(n):
        states = (*states, states[-1] * 2)
    return torch.cat(states, 1), len(states)


@case(inputs=COUNTED)
def rows_that_grow(x, n):
    """Tuples of tuples of different lengths"""
    out = ()
    for i in range(n):
        row = ()
        for j in range(i):
            row += (j,)
        out += (row,)
    return out, x


@case(inputs=COUNTED, refused="DYCL062")
def numbers_and_texts(x, n):
    """Tuples whose items differ in more than the type of a number"""
    found = ()
    for i in range(n):  # <- refused
        found += (i, "text")
    return found, x
