"""Runs tables and writes them: JSON, Markdown and a plot each."""

import io
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from matplotlib import rc_context
from matplotlib.figure import Figure

from dycl.backends.registry import backend_names
from dycl.cli.writing import write_text
from dycl.contenders import AGAINST, TRACE
from dycl.errors import UserError
from dycl.reproduce.catalog import require_known
from dycl.reproduce.causes import Causes
from dycl.reproduce.cells import Cell, Measured, NotRun, Outcome, as_json
from dycl.reproduce.machine import Machine, this_machine
from dycl.reproduce.processes import Processes
from dycl.reproduce.running import Progress, Runner
from dycl.reproduce.state import State
from dycl.reproduce.tables import TABLES
from dycl.reproduce.tables.defaults import STAGES, stage_of
from dycl.reproduce.tables.table import Request, Table, notes_on_failures
from dycl.reproduce.text import as_markdown, without_folders

ALL = "all"

Counting: TypeAlias = Callable[[str], AbstractContextManager[Progress]]

_JOBS = 2
"""Cells at a time: one that measures, and one that compares or prepares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A table with its outcomes."""

    table: Table
    outcomes: tuple[Outcome, ...]
    markdown: str

    @property
    def differing(self) -> list[str]:
        """Return the cells whose package does not do what the original does."""
        return [
            outcome.cell.title
            for outcome in self.outcomes
            if isinstance(outcome, Measured)
            and outcome.cell.backend != TRACE
            and not outcome.found.get("passed", True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run, and how."""

    request: Request
    state: Path
    output: Path | None
    """Where tables are written; None: nowhere."""
    jobs: int | None = None
    minutes: float | None = None
    again: bool = False
    older: bool = False


def reproduce(names: Sequence[str], plan: Plan, counting: Counting) -> list[Finished]:
    """Run tables; write each as soon as it is done.

    What every table needs comes first, over all tables, then what some more backends say: where
    time runs out, no table is without its main columns.
    """
    tables = tables_called(names)
    for spec in plan.request.backends:
        _require_backend(spec, tables)
    plan.request.catalog.choose(plan.request.models)
    results = _Results(plan, tables)
    minutes = float("inf") if plan.minutes is None else plan.minutes
    with Processes(plan.request.catalog.file) as processes:
        runner = Runner(
            catalog=plan.request.catalog,
            causes=Causes(catalog=plan.request.catalog, machine=results.machine),
            state=State(directory=plan.state),
            processes=processes,
            deadline=time.monotonic() + 60 * minutes,
            again=plan.again,
            older=plan.older,
        )
        for stage, is_alone in product(STAGES, (True, False)):
            chosen = [table for table in tables if table.is_alone == is_alone]
            if due := results.due(chosen, stage):
                with counting(", ".join(table.name for table in chosen)) as progress:
                    jobs = plan.jobs or (1 if is_alone else _JOBS)
                    runner.run(due, jobs, progress, results.note)
    return [results.finished[table.name] for table in tables]


class _Results:
    """Outcomes of cells, and the tables that have all of theirs."""

    def __init__(self, plan: Plan, tables: Sequence[Table]) -> None:
        self.machine = this_machine()
        self.finished: dict[str, Finished] = {}
        self._plan = plan
        self._cells = {table: table.cells(plan.request) for table in tables}
        self._outcomes: dict[Cell, Outcome] = {}
        for table, cells in self._cells.items():
            if not cells:
                raise UserError(f"the table {table.name} has no cell for what was asked")

    def due(self, tables: Sequence[Table], stage: int) -> list[Cell]:
        """Return the cells of a stage; one that tables share is there once."""
        cells = dict.fromkeys(cell for table in tables for cell in self._cells[table])
        return [cell for cell in cells if stage_of(cell) == stage and cell not in self._outcomes]

    def note(self, cell: Cell, outcome: Outcome) -> None:
        """Take an outcome; write the tables that waited for it alone."""
        self._outcomes[cell] = outcome
        for table, cells in self._cells.items():
            if cell in cells and all(each in self._outcomes for each in cells):
                self._finish(table, tuple(self._outcomes[each] for each in cells))

    def _finish(self, table: Table, found: tuple[Outcome, ...]) -> None:
        markdown = as_page(table, self._plan.request, found, self.machine)
        done = Finished(table=table, outcomes=found, markdown=markdown)
        self.finished[table.name] = done
        if self._plan.output is not None:
            _write(done, self._plan, self.machine)


def tables_called(names: Sequence[str]) -> list[Table]:
    """Return the tables of these names; raise UserError for an unknown one."""
    for name in names:
        require_known("table", name, (*TABLES, ALL))
    chosen = TABLES if ALL in names else dict.fromkeys(names)
    return [TABLES[name] for name in chosen]


def _require_backend(spec: str, tables: Sequence[Table]) -> None:
    """Raise UserError for what is no backend, or is nothing that a table can measure."""
    name, packages = spec.partition(":")[0], (*backend_names(), "auto")
    require_known("backend", name, (*packages, *AGAINST))
    for table in tables:
        if name not in (takes := (*packages, *table.beside)):
            raise UserError(
                f"the table {table.name} has no {name!r}", help=f"it takes: {'; '.join(takes)}"
            )


def as_page(table: Table, request: Request, outcomes: Sequence[Outcome], machine: Machine) -> str:
    """Return the table as a page of Markdown."""
    counts = sorted({outcome.cell.count for outcome in outcomes})
    parts = [
        f"# {table.title}",
        f"`dycl reproduce {table.name}{' --all' * request.every}`: {table.about}"
        + (f" {table.left_out}" if table.left_out and not request.every else ""),
        f"Inputs for each cell: {', '.join(map(str, counts))}. Machine: {machine}."
        f"{_commits(outcomes)}",
        _published(table),
        table.show(request.catalog, outcomes),
        notes_on_failures(outcomes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _commits(outcomes: Sequence[Outcome]) -> str:
    """Return which sources were measured: how many cells of which commit."""
    cells = Counter(each.commit for each in outcomes if not isinstance(each, NotRun))
    named = [f"{commit} ({count} cells)" for commit, count in cells.items() if commit]
    return f" Commit: {', '.join(named)}." if named else ""


def _published(table: Table) -> str:
    rows = [[each.what, each.figure, each.paper] for each in table.published]
    return as_markdown(["published", "", "by"], rows) if rows else ""


def _write(finished: Finished, plan: Plan, machine: Machine) -> None:
    assert plan.output is not None
    plan.output.mkdir(parents=True, exist_ok=True)
    table = finished.table
    picture = f"![{table.title}]({table.name}.svg)\n"
    write_text(plan.output / f"{table.name}.md", f"{finished.markdown}\n{picture}")
    write_text(plan.output / f"{table.name}.json", _as_json(finished, machine))
    write_text(plan.output / f"{table.name}.svg", _drawn(finished, plan.request))


def _as_json(finished: Finished, machine: Machine) -> str:
    content: dict[str, Any] = {
        "table": finished.table.name,
        "title": finished.table.title,
        "machine": asdict(machine),
        "published": [asdict(each) for each in finished.table.published],
        "cells": [_without_detail(as_json(outcome)) for outcome in finished.outcomes],
    }
    return json.dumps(content, indent=1) + "\n"


def _without_detail(outcome: dict[str, Any]) -> dict[str, Any]:
    """Leave out tracebacks and folders of this machine; the state has them."""
    kept = {name: value for name, value in outcome.items() if name != "detail"}
    return kept | ({"reason": without_folders(kept["reason"])} if "reason" in kept else {})


def _drawn(finished: Finished, request: Request) -> str:
    """Return the plot as SVG, the same for the same outcomes."""
    text = io.StringIO()
    with rc_context({"svg.hashsalt": finished.table.name, "font.size": 9}):
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        finished.table.plot(request.catalog, finished.outcomes, figure)
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
