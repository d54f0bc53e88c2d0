"""How good a zoo model is and how its inputs spread over its paths, one input at a time."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import torch

from zoo.digits import labelled_pictures

HELD_OUT_SEED = 2018

Decision = tuple[Hashable, Hashable]
"""What `decide` returns where answers are right or wrong: the answer, and the path to it."""

Labelled = tuple[tuple[Any, ...], Any]
"""Arguments, and the right answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What a model decided on labelled held-out inputs."""

    accuracy: float
    paths: Counter[Hashable]

    def __str__(self) -> str:
        """Return the measurement in one line, for a training script's end."""
        count = self.paths.total()
        most = ", ".join(str(uses) for _, uses in self.paths.most_common(8))
        return (
            f"accuracy {self.accuracy:.1%} on {count} held-out inputs, "
            f"{len(self.paths)} distinct paths, the most frequent taken {most} times"
        )


def labelled_digits(count: int, seed: int) -> list[Labelled]:
    """Return held-out pictures of all difficulties, each with its digit."""
    pictures, labels = labelled_pictures(count, seed, held_out=True)
    return [((pictures[i : i + 1],), label) for i, label in enumerate(labels.tolist())]


def measure(
    entry: Callable[..., Any], decide: Callable[[Any], Decision], labelled: list[Labelled]
) -> Measurement:
    """Run the inputs one by one, as the deployed model would."""
    with torch.no_grad():
        decisions = [decide(entry(*inputs)) for inputs, _ in labelled]
    correct = sum(
        answer == expected for (answer, _), (_, expected) in zip(decisions, labelled, strict=True)
    )
    return Measurement(
        accuracy=correct / len(labelled), paths=Counter(path for _, path in decisions)
    )


def measure_on_digits(
    entry: Callable[..., Any], decide: Callable[[Any], Decision], count: int
) -> Measurement:
    """Measure a classifier of pictures."""
    return measure(entry, decide, labelled_digits(count, HELD_OUT_SEED))
