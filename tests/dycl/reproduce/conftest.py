"""The tiny catalog, and jobs done in this process."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dycl.reproduce.catalog import Catalog, load_catalog
from dycl.reproduce.cells import Cell, Outcome
from dycl.reproduce.child import Job, run

TINY = Path(__file__).parent / "tiny" / "catalog.py"

CELL = Cell(measurement="correctness", model="Halving", backend="trace", count=8, seconds=60)

RunHere = Callable[..., Outcome]


@pytest.fixture(scope="session")
def tiny() -> Catalog:
    return load_catalog(TINY)


@pytest.fixture
def run_here(tmp_path: Path) -> RunHere:
    """Return what does the job of a cell in this process."""

    def run_cell(**changes: object) -> Outcome:
        cell = replace(CELL, **changes)  # type: ignore[arg-type]
        package = tmp_path / "package"
        return run(Job(catalog=TINY, cell=cell, package=package, output=tmp_path / "found"))

    return run_cell
