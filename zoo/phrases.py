"""Generated text for the zoo: reviews of a few to a few dozen made-up words, and what they say.

A review is a sequence of token numbers. Good words and bad words count for and against; a word
after "not" counts the other way; words after "very" count double; what comes after "but" is all
that counts. The label says whether the sum is below, at or above zero. Plain reviews (most words
of one side) can be judged from the words alone, the others need their order.
"""

import torch
from torch import Tensor

PAD, CLS, NOT, VERY, BUT = range(5)
GOOD = range(5, 17)
BAD = range(17, 29)
OTHER = range(29, 48)
VOCABULARY = 48
LENGTH = 16
"""Tokens in a review, with the [CLS] in front and the padding behind."""

NEGATIVE, NEUTRAL, POSITIVE = range(3)


def _draw(words: range, generator: torch.Generator) -> int:
    return int(torch.randint(words.start, words.stop, (), generator=generator))


def _words(count: int, hardness: float, generator: torch.Generator) -> list[int]:
    """Draw a review of so many words; the harder, the more mixed and the more modified."""
    leaning, other = (GOOD, BAD) if torch.rand((), generator=generator) < 0.5 else (BAD, GOOD)
    chosen: list[int] = []
    while len(chosen) < count:
        kind = float(torch.rand((), generator=generator))
        if kind < 0.2 * hardness and len(chosen) + 1 < count:
            chosen.append(NOT if kind < 0.12 * hardness else VERY)
            chosen.append(_draw(leaning, generator))
        elif kind < 0.28 * hardness:
            chosen.append(BUT)
        elif kind < 0.28 * hardness + 0.35:
            chosen.append(_draw(OTHER, generator))
        else:
            mixed = float(torch.rand((), generator=generator)) < 0.5 * hardness
            chosen.append(_draw(other if mixed else leaning, generator))
    return chosen


def judgement(words: list[int]) -> int:
    """Return the label of a review.

    >>> judgement([GOOD[0], NOT, GOOD[1], BAD[0]])
    0
    >>> judgement([BAD[0], BAD[1], BUT, OTHER[0], GOOD[0]])
    2
    """
    total, weight = 0, 1
    for word in words:
        if word == BUT:
            total, weight = 0, 1
        elif word == NOT:
            weight = -1
        elif word == VERY:
            weight = 2
        else:
            total += weight * ((word in GOOD) - (word in BAD))
            weight = 1
    return NEUTRAL if total == 0 else POSITIVE if total > 0 else NEGATIVE


def labelled_phrases(count: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return `count` reviews [count, LENGTH], from plain to intricate, and their labels."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.full((count, LENGTH), PAD)
    labels = torch.zeros(count, dtype=torch.long)
    for row in range(count):
        hardness = float(torch.rand((), generator=generator))
        length = 3 + int((LENGTH - 3) * torch.rand((), generator=generator))
        words = _words(length, hardness, generator)
        tokens[row, : length + 1] = torch.tensor([CLS, *words])
        labels[row] = judgement(words)
    return tokens, labels


def sample_phrases(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Return model inputs: (tokens, attention mask) of one review each."""
    tokens, _ = labelled_phrases(count, seed)
    return [(row, (row != PAD).long()) for row in tokens.split(1)]


def labelled_reviews(count: int, seed: int) -> list[tuple[tuple[Tensor, ...], int]]:
    """Return model inputs, each with its label."""
    tokens, labels = labelled_phrases(count, seed)
    rows = zip(tokens.split(1), labels.tolist(), strict=True)
    return [((row, (row != PAD).long()), label) for row, label in rows]
