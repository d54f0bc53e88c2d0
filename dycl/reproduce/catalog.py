"""A catalog of models: a Python file with ``CATALOG``, read by its path.

    CATALOG        entries as described by ``Entry``
    GROWTH         one network in several sizes, for the table of overhead
    COMPARISONS    figures that others published for these models: ``Comparison``
    BATCHED        other systems that run many inputs at once: ``Batched``
    IMPORTED       names of modules that models import only when they are used

All but the first may be missing.
Nothing is imported from dycl there: whatever has these attributes will do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from torch import nn

from dycl.errors import UserError
from dycl.user_file import load_user_file


class Entry(Protocol):
    """One model."""

    @property
    def name(self) -> str:
        """What tables call it; unique."""

    @property
    def family(self) -> str:
        """Why its computation depends on the input."""

    @property
    def source(self) -> str:
        """The paper with its year, and where the model is published."""

    @property
    def heavy(self) -> bool:
        """Whether tables leave most backends out."""

    @property
    def pictures(self) -> bool:
        """Whether it is a network for pictures, over which tables have means of their own."""

    @property
    def method(self) -> str:
        """The entry point."""

    @property
    def build(self) -> Callable[[], nn.Module]:
        """Makes the model, the same each time."""

    def example_inputs(self) -> tuple[Any, ...]:
        """Return the arguments to compile with."""

    def dynamic_shapes(self) -> object:
        """Return which of their sizes vary, as torch.export wants it, or None."""

    def sample_inputs(self, count: int, seed: int) -> Sequence[tuple[Any, ...]]:
        """Return arguments that take different paths."""

    def decide(self, outputs: Any) -> object:
        """Return the decision in an output."""


class Comparison(Protocol):
    """What another system published about a model."""

    @property
    def model(self) -> str:
        """The name of an entry."""

    @property
    def system(self) -> str:
        """The system."""

    @property
    def paper(self) -> str:
        """Where the figure is published."""

    @property
    def figure(self) -> float:
        """How many times as fast as eager PyTorch it was."""

    @property
    def machine(self) -> str:
        """On what."""

    @property
    def unit(self) -> str:
        """What latency is stated by: token, node."""

    @property
    def units(self) -> Callable[..., int]:
        """Takes a call's arguments and says how many units they are."""


class Batched(Protocol):
    """A model in another system, which may run many inputs at once."""

    @property
    def model(self) -> str:
        """The name of an entry."""

    @property
    def system(self) -> str:
        """The system, and its mode."""

    @property
    def prepare(
        self,
    ) -> Callable[[nn.Module], Callable[[Sequence[tuple[Any, ...]]], Sequence[Any]]]:
        """Takes the model for its weights; returns what maps inputs to their outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What a catalog file has."""

    file: Path
    entries: tuple[Entry, ...]
    growth: tuple[Entry, ...]
    comparisons: tuple[Comparison, ...]
    batched: tuple[Batched, ...]
    imported: tuple[str, ...] = ()
    """What is imported once for the processes of all cells; it must start no threads."""

    def entry(self, name: str) -> Entry:
        """Return the entry of a name."""
        return {entry.name: entry for entry in (*self.growth, *self.entries)}[name]

    def choose(self, names: Sequence[str]) -> tuple[Entry, ...]:
        """Return the entries of these names, all without; raise UserError for an unknown one."""
        known = {entry.name: entry for entry in self.entries}
        for name in names:
            require_known("model", name, known)
        return tuple(known[name] for name in dict.fromkeys(names)) if names else self.entries


def require_known(what: str, name: str, known: Iterable[str]) -> None:
    """Raise UserError with the names there are where ``name`` is none of them."""
    names = list(known)
    if name not in names:
        raise UserError(f"no {what} is called {name!r}", help=f"there are: {'; '.join(names)}")


def load_catalog(file: Path) -> Catalog:
    """Import a catalog file; raise UserError where it is missing or is none."""
    if not file.exists():
        raise UserError(
            f"there is no catalog of models at {file}",
            help="run this in dycl's source tree, or name one: --catalog FILE",
        )
    module = load_user_file(file)
    if not hasattr(module, "CATALOG"):
        raise UserError(f"{file} has no CATALOG", help="docs/reproduction.md says what it holds")
    entries = _all_with("CATALOG", module.CATALOG, Entry, file)
    names = [entry.name for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UserError(f"two models of {file} are called {twice[0]!r}")
    optional: Mapping[str, Any] = vars(module)
    return Catalog(
        file=file.resolve(),
        entries=entries,
        growth=_all_with("GROWTH", optional.get("GROWTH", ()), Entry, file),
        comparisons=_all_with("COMPARISONS", optional.get("COMPARISONS", ()), Comparison, file),
        batched=_all_with("BATCHED", optional.get("BATCHED", ()), Batched, file),
        imported=tuple(optional.get("IMPORTED", ())),
    )


def _all_with(name: str, found: Sequence[Any], kind: Any, file: Path) -> tuple[Any, ...]:
    """Return what was found, each with all attributes of the protocol ``kind``."""
    wanted = [attribute for attribute in vars(kind) if not attribute.startswith("_")]
    for each in found:
        if missing := [attribute for attribute in wanted if not hasattr(each, attribute)]:
            which = getattr(each, "name", None) or getattr(each, "model", None) or repr(each)
            raise UserError(f"{which} in {name} of {file} has no {missing[0]}")
    return tuple(found)
