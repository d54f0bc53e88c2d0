"""How good a zoo model is and how its inputs spread over its paths, one input at a time."""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from zoo.digits import labelled_pictures

HELD_OUT_SEED = 2018

Decision = tuple[int, Hashable]
"""What each zoo file's `decide` returns: the class, and the path that led to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What a model decided on labelled held-out pictures."""

    accuracy: float
    paths: Counter[Hashable]

    def __str__(self) -> str:
        """Return the measurement in one line, for a training script's end."""
        count = self.paths.total()
        most = ", ".join(str(uses) for _, uses in self.paths.most_common(8))
        return (
            f"accuracy {self.accuracy:.1%} on {count} held-out pictures, "
            f"{len(self.paths)} distinct paths, the most frequent taken {most} times"
        )


def measure(
    entry: Callable[[Tensor], Any], decide: Callable[[Any], Decision], count: int
) -> Measurement:
    """Run `count` held-out pictures of all difficulties, as the deployed model would."""
    pictures, labels = labelled_pictures(count, HELD_OUT_SEED, held_out=True)
    with torch.no_grad():
        decisions = [decide(entry(pictures[index : index + 1])) for index in range(count)]
    correct = sum(
        chosen == label for (chosen, _), label in zip(decisions, labels.tolist(), strict=True)
    )
    return Measurement(accuracy=correct / count, paths=Counter(path for _, path in decisions))
