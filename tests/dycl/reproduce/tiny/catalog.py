"""Models as small as can be: two that work, others that are refused, crash and hang."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class Halving(nn.Module):
    """Halves its input until it is small."""

    def __init__(self, steps: int = 3) -> None:
        super().__init__()
        self.steps = steps
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        x = self.layer(x)
        for step in range(self.steps):
            if x.abs().max().item() < 1.0:
                return x, step
            x = x / 2
        return x, self.steps


class Counting(nn.Module):
    """Cannot be compiled: the class keeps a function of each call."""

    calls: ClassVar[list[Callable[[], Tensor]]] = []

    def forward(self, x: Tensor) -> Tensor:
        if x.sum().item() > 0:
            Counting.calls.append(lambda: x)
        return x


def build_model() -> nn.Module:
    torch.manual_seed(0)
    return Halving().eval()


def build_deeper() -> nn.Module:
    torch.manual_seed(0)
    return Halving(5).eval()


def build_counting() -> nn.Module:
    return Counting().eval()


def build_crashing() -> nn.Module:
    os.abort()


def build_hanging() -> nn.Module:
    time.sleep(600)
    raise AssertionError


@dataclass(frozen=True)
class Entry:
    name: str
    build: Any
    family: str = "early exit"
    source: str = "nobody, 2026"
    heavy: bool = False
    pictures: bool = False
    method: str = "forward"

    def example_inputs(self) -> tuple[Any, ...]:
        return (torch.ones(1, 4),)

    def dynamic_shapes(self) -> object:
        return None

    def sample_inputs(self, count: int, seed: int) -> list[tuple[Any, ...]]:
        generator = torch.Generator().manual_seed(seed)
        return [(torch.randn(1, 4, generator=generator) * 4 ** (i % 4),) for i in range(count)]

    def decide(self, outputs: Any) -> object:
        return outputs[1]


@dataclass(frozen=True)
class Comparison:
    model: str
    system: str = "Somebody"
    paper: str = "Somebody: A paper, 2020"
    figure: float = 2.0
    machine: str = "a machine"
    unit: str = "row"

    def units(self, x: Tensor) -> int:
        return len(x)


@dataclass(frozen=True)
class Together:
    """A system that takes a whole batch in one call."""

    model: str
    system: str
    off_by: float = 0.0
    numbers: int = 4

    def prepare(self, model: nn.Module) -> Any:
        def run(inputs: Any) -> list[Any]:
            with torch.no_grad():
                outputs = [model(*each) for each in inputs]
            kept = [(y[:, : self.numbers], step) for y, step in outputs]
            # all but the first: what is wrong may be wrong in some outputs only
            return [*kept[:1], *((y + self.off_by, step) for y, step in kept[1:])]

        return run


CATALOG = (
    Entry("Halving", build_model),
    Entry("Deeper", build_deeper, heavy=True),
    Entry("Counting", build_counting, family="routing"),
    Entry("Crashing", build_crashing),
    Entry("Hanging", build_hanging),
)

COMPARISONS = (Comparison("Halving"), Comparison("Elsewhere"))

BATCHED = (
    Together("Halving", "together"),
    Together("Halving", "wrong", off_by=1.0),
    Together("Halving", "not a number", off_by=float("nan")),
    Together("Halving", "fewer numbers", numbers=0),
)
