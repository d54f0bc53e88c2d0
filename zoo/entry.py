"""What the catalog says about one model of the zoo."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import ModuleType
from typing import Any

from torch import nn

from zoo.measurement import labelled_digits


class Family(StrEnum):
    """Why the computation depends on the input."""

    EARLY_EXIT = "early exit"
    SKIPPING = "skipping"
    GENERATION = "generation"
    DYNAMIC_SHAPE = "dynamic shape"
    DYNAMIC_STRUCTURE = "dynamic structure"
    ROUTING = "routing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One model of the zoo."""

    name: str
    module: ModuleType
    build: Callable[[], nn.Module]
    family: Family
    source: str
    """The paper with its year, and the upstream repository by name."""
    trained: bool
    """Whether all weights were trained; otherwise convolutions stay as seeded."""
    heavy: bool = False
    """Too large for the quick tests and tables; the slow ones have it."""
    pictures: bool = False
    """Whether it classifies the pictures of `zoo/digits.py`, so that its accuracy is measured."""
    method: str = "forward"
    examples: str = "example_inputs"
    samples: str = "sample_inputs"
    shapes: str = "dynamic_shapes"
    labelled: str = "labelled_inputs"
    decision: str = "decide"
    """Functions of the module, for files with several models; `shapes` and `labelled` need not be
    there."""

    @property
    def target(self) -> str:
        """The FILE:TARGET of dycl's command line."""
        return f"{self.module.__name__.replace('.', '/')}.py:{self.build.__name__}"

    def prepare(self) -> tuple[nn.Module, Callable[..., Any]]:
        """Build the model; return it and its entry point."""
        model = self.build()
        return model, getattr(model, self.method)

    def example_inputs(self) -> tuple[Any, ...]:
        """Return the arguments to compile with."""
        example: tuple[Any, ...] = getattr(self.module, self.examples)()
        return example

    def dynamic_shapes(self) -> object:
        """Return which sizes of the arguments vary, as torch.export wants it; None without."""
        function = getattr(self.module, self.shapes, None)
        return None if function is None else function()

    def sample_inputs(self, count: int, seed: int) -> list[tuple[Any, ...]]:
        """Return arguments that take different paths."""
        inputs: list[tuple[Any, ...]] = getattr(self.module, self.samples)(count, seed)
        return inputs

    def labelled_inputs(self, count: int, seed: int) -> list[tuple[tuple[Any, ...], Any]] | None:
        """Return held-out arguments, each with the right answer; None where nothing is right."""
        if self.pictures:
            return labelled_digits(count, seed)
        function = getattr(self.module, self.labelled, None)
        return None if function is None else list(function(count, seed))

    def decide(self, outputs: Any) -> Any:
        """Return the decision in an output; (answer, path) where answers are right or wrong."""
        return getattr(self.module, self.decision)(outputs)
