"""The registry of the corpus: what a case is, how one is declared, where they all are."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from tests.language import programs

POSITIVE = torch.tensor([[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]])
NEGATIVE = -POSITIVE
ZERO = torch.zeros(2, 3)
MIXED = torch.tensor([[0.5, -1.0, 1.5], [-2.0, 2.5, -3.0]])
LARGE = POSITIVE * 10

Inputs = tuple[Any, ...] | dict[str, Any]
Declared = TypeVar("Declared", bound=Callable[..., object])

REGISTRY: "dict[str, Case]" = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One program with inputs that together take each of its paths."""

    name: str
    """``topic.program``."""
    rule: str
    """What the program shows, in one line: the first line of its docstring."""
    declared: Callable[..., object] = field(repr=False)
    build: Callable[[], Any] = field(repr=False)
    """Makes a fresh target: a module in eval mode, a function, a bound method."""
    inputs: tuple[Inputs, ...] = field(repr=False)
    method: str
    refused: bool | str
    """True or a diagnostic code where the program must be refused, at the line marked
    ``# <- refused`` if there is one."""
    refused_on_host: bool | str
    """The same for the host package of a program that can be rewritten."""
    may_refuse: bool
    """Agreeing and refusing are both sound."""
    messages: bool
    """Whether the text of exceptions must be equal too (not for texts written by torch)."""
    host: bool
    """Whether the case is compiled to a host package as well."""
    dynamic_shapes: Any | None
    options: Mapping[str, Any]
    slow: bool = False
    """Whether its host package is left to ``make test-all``: it takes long to compile, and
    others of its topic show much the same."""
    rounds: bool = False
    """Whether the rewritten program, too, may round otherwise than the original."""
    at_end: bool = False
    """Whether results are compared after all calls, which may write into earlier ones."""

    @property
    def topic(self) -> str:
        """The file the program is in."""
        return self.name.partition(".")[0]

    @property
    def refused_line(self) -> int | None:
        """The line of the file that the refusal must point at, if one is marked."""
        lines, first = inspect.getsourcelines(self.declared)
        marked = [first + i for i, line in enumerate(lines) if "# <- refused" in line]
        return marked[0] if marked else None


def case(
    *,
    inputs: list[Any],
    method: str = "forward",
    refused: bool | str = False,
    refused_on_host: bool | str = False,
    may_refuse: bool = False,
    messages: bool = True,
    slow: bool = False,
    rounds: bool = False,
    host: bool = True,
    at_end: bool = False,
    factory: bool = False,
    dynamic_shapes: Any | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[[Declared], Declared]:
    """Declare a program: a class (made with a fixed seed), a function, or a factory of a target.

    Each input is a tuple of positional arguments or a dict of keyword arguments; the
    first one is the example that the program is compiled with.
    """

    def register(declared: Declared) -> Declared:
        topic = declared.__module__.rpartition(".")[2]
        name = f"{topic}.{declared.__name__}"
        if name in REGISTRY:
            raise ValueError(f"two programs are called {name}")
        REGISTRY[name] = Case(
            name=name,
            rule=_rule_of(declared),
            declared=declared,
            build=_builder(declared, factory=factory),
            inputs=tuple(inputs),
            method=method,
            refused=refused,
            refused_on_host=refused_on_host or refused,
            may_refuse=may_refuse,
            messages=messages,
            slow=slow,
            rounds=rounds,
            host=host,
            at_end=at_end,
            dynamic_shapes=dynamic_shapes,
            options=dict(options or {}),
        )
        return declared

    return register


def _rule_of(declared: Callable[..., object]) -> str:
    documentation = declared.__doc__
    if not documentation or (inspect.isclass(declared) and "__doc__" not in vars(declared)):
        raise ValueError(f"{declared.__qualname__} needs a docstring that states its rule")
    return documentation.strip().splitlines()[0]


def _builder(declared: Callable[..., object], *, factory: bool) -> Callable[[], Any]:
    def build() -> Any:
        torch.manual_seed(0)
        if not factory and not inspect.isclass(declared):
            return declared
        target = declared()
        if isinstance(target, nn.Module):
            target.eval()
        return target

    return build


def noise(*shape: int, seed: int = 0) -> Tensor:
    """Return normal noise that is the same in every run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def counted(*numbers: float) -> tuple[Tensor, int]:
    """Return a tensor of six numbers, filled up with -1, and how many were given."""
    return torch.tensor([*map(float, numbers), *[-1.0] * (6 - len(numbers))]), len(numbers)


def topics() -> tuple[str, ...]:
    """Return the files of the corpus."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(programs.__path__)))


def all_cases() -> tuple[Case, ...]:
    """Import the whole corpus and return its cases."""
    for topic in topics():
        importlib.import_module(f"{programs.__name__}.{topic}")
    return tuple(REGISTRY.values())
