"""Bring a model up as the command line describes it. Imports PyTorch: import when needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dycl.cli.console import working
from dycl.target import Target, resolve_target
from dycl.user_inputs import ExampleInputs, check_eager, example_inputs
from dycl.weights import load_weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that runs in eager PyTorch, and inputs that it takes."""

    target: Target
    example: ExampleInputs

    @property
    def compile_target(self) -> object:
        """Return what ``dycl.compile`` takes."""
        return self.target.model


def load_target(text: str, method: str, weights: Path | None) -> Target:
    """Import FILE, build the model, load its weights."""
    with working(f"loading {text}"):
        target = resolve_target(text, method)
        if weights is not None:
            load_weights(target.model, weights)
        return target


def load_model(text: str, method: str, specs: Sequence[str], weights: Path | None) -> Model:
    """Import FILE, build the model, and run it once on its example inputs."""
    target = load_target(text, method, weights)
    example = example_inputs(target, specs)
    with working(f"running {text} in PyTorch"):
        check_eager(target, example.inputs)
    return Model(target=target, example=example)
