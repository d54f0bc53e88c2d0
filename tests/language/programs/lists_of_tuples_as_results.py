"""Lists of run-time length as results whose elements are named tuples, or sizes of tensors."""

from typing import NamedTuple

import torch

from tests.language.harness import case


class Hypothesis(NamedTuple):
    """A hypothesis of a beam search."""

    score: float
    tokens: list
    state: torch.Tensor


class Span(NamedTuple):
    """Words of a sentence."""

    start: int
    kind: str = "word"


SIGNS = ([1.0, -1.0], 3), ([1.0, 1.0], 2), ([-1.0, 1.0], 0), ([-1.0, -1.0], 2)
ROWS = [(torch.tensor(x), n) for x, n in SIGNS]


@case(inputs=ROWS)
def sizes_of_tensors(x, count):
    """Sizes leave as tuples, as from a list of known length."""
    parts = []
    for place in range(count):
        parts.append(x[x > place - 1].repeat(place, 2))
    sizes = [part.shape for part in parts]
    return sizes, [part.size(0) for part in parts], {"first": sizes[0] if sizes else None}


@case(inputs=ROWS)
def a_beam(x, steps):
    """The hypotheses that are left, and the best of them."""
    beam = [Hypothesis(0.0, [0], x)]
    for _ in range(steps):
        extended = []
        for score, tokens, state in beam:
            for token in range(2):
                if x[token].item() > 0 or token == 0:
                    step = x[token].item()
                    extended.append(Hypothesis(score + step, [*tokens, token], state + 1))
        beam = sorted(extended, key=lambda found: -found.score)[:2]
    return beam, max(beam, key=lambda found: len(found.tokens)).tokens


@case(inputs=ROWS)
def one_list_twice(x, count):
    """The list is one object, however often it is in the result."""
    spans = []
    for place in range(count):
        if x[place % 2].item() > 0:
            spans.append(Span(place))
    return spans, {"spans": spans, "count": len(spans)}


@case(inputs=ROWS, refused="DYCL065")
def two_lists(x, count):
    """Whether two lists are one object is not known."""
    words, others = [], []
    for place in range(count):
        (words if x[place % 2].item() > 0 else others).append(Span(place))
    return words, others


@case(inputs=ROWS, refused="DYCL065")
def lists_in_a_list(x, count):
    """Only the list itself is made anew."""
    rows = []
    for place in range(count):
        rows.append([Span(place, f"{x[0].item()}")])
    return rows
