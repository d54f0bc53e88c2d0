"""What a table is: which cells it needs, and how their outcomes are shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from matplotlib.figure import Figure

from dycl.reproduce.catalog import Catalog, Entry
from dycl.reproduce.cells import Cell, Failed, Measured, NotRun, Outcome
from dycl.reproduce.published import Published
from dycl.reproduce.text import shortened, without_folders

Outcomes: TypeAlias = Sequence[Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the user asked for."""

    catalog: Catalog
    models: tuple[str, ...] = ()
    """Names; without, those the table takes by itself."""
    backends: tuple[str, ...] = ()
    """Specs; without, the table's own."""
    count: int | None = None
    every: bool = False
    """Whether heavy models get all backends, and tables that take examples take every model."""
    seconds: float | None = None
    """Time limit of a cell."""

    def cell(self, measurement: str, model: str, backend: str, count: int, seconds: float) -> Cell:
        """Return a cell with the table's numbers, or with those that were asked for."""
        return Cell(
            measurement=measurement,
            model=model,
            backend=backend,
            count=self.count or count,
            seconds=self.seconds or seconds,
        )

    def examples(self) -> tuple[Entry, ...]:
        """Return the models asked for, or the first light one of each family."""
        entries = self.catalog.choose(self.models)
        if self.models or self.every:
            return entries
        first: dict[str, Entry] = {}
        for entry in entries:
            if not entry.heavy:
                first.setdefault(entry.family, entry)
        return tuple(first.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table."""

    name: str
    title: str
    about: str
    """What is measured, and how to read it."""
    published: tuple[Published, ...]
    cells: Callable[[Request], tuple[Cell, ...]]
    show: Callable[[Catalog, Outcomes], str]
    """Returns what is below the title, in Markdown."""
    plot: Callable[[Catalog, Outcomes, Figure], None]
    is_alone: bool = False
    """Whether cells run one at a time: the time of everything that they do is measured."""
    left_out: str = ""
    """What it has no cells for where nobody asks for every one."""
    beside: tuple[str, ...] = ()
    """What can be named like a backend and is no package: a trace, the oracle."""


def by_model(outcomes: Outcomes) -> dict[str, dict[str, Outcome]]:
    """Return outcomes by model, then by backend, both in order of the cells' models."""
    found: dict[str, dict[str, Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.cell.model, {})[outcome.cell.backend] = outcome
    return found


def in_order(catalog: Catalog, outcomes: Outcomes) -> dict[str, dict[str, Outcome]]:
    """Return outcomes by model in the catalog's order."""
    found = by_model(outcomes)
    names = [entry.name for entry in (*catalog.entries, *catalog.growth)]
    return {name: found[name] for name in dict.fromkeys(names) if name in found}


def backends_of(outcomes: Outcomes) -> list[str]:
    """Return the backends in order of first appearance."""
    return list(dict.fromkeys(outcome.cell.backend for outcome in outcomes))


def cell_text(outcome: Outcome | None, show: Callable[[Measured], str]) -> str:
    """Return what stands in a table's cell: a result, or why there is none."""
    match outcome:
        case None:
            return "-"
        case Measured():
            return show(outcome)
        case Failed():
            return f"failed: {shortened(without_folders(outcome.reason), 40)}"
        case NotRun():
            return "not run"


def measured(outcomes: Outcomes) -> list[Measured]:
    """Return those with a result."""
    return [outcome for outcome in outcomes if isinstance(outcome, Measured)]


def notes_on_failures(outcomes: Outcomes) -> str:
    """Return a list of what failed, with whole reasons; and of what was not run."""
    lines = [
        f"- {outcome.cell.model}, {outcome.cell.backend}: {without_folders(outcome.reason)}"
        for outcome in outcomes
        if isinstance(outcome, Failed)
    ]
    missing = sum(isinstance(outcome, NotRun) for outcome in outcomes)
    parts = []
    if lines:
        parts.append("Failed:\n\n" + "\n".join(lines))
    if missing:
        parts.append(
            f"{missing} of {len(outcomes)} cells were not run: the time was up. "
            "The same command goes on."
        )
    return "\n\n".join(parts)
