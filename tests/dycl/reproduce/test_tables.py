"""Tables show every cell: results, failures with their reasons, and what was not run."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import Cell, Failed, Measured, NotRun, Outcome
from dycl.reproduce.reproducing import Finished, Plan, reproduce
from dycl.reproduce.running import Progress, Runner
from dycl.reproduce.tables import TABLES
from dycl.reproduce.tables.table import Request

NUMBERS = {
    "passed": True,
    "inputs": 100,
    "inconsistent": 0,
    "inconsistent_rate": 0.0,
    "mismatched": 0,
    "max_absolute_error": 3e-7,
    "log10_error": -6.5,
    "error_distribution": {"1e-10": 0.0, "1e-6": 1.0, "1e2": 1.0},
    "first_failing": [],
    "coverage": {"distinct_paths": 4, "outcomes_taken": 6, "outcomes": 6},
}
TIMES = {"milliseconds": 0.5, "inputs": [[0.4, 0.5, 0.6]]}
COMPILED = {
    "subdnns": 3,
    "structures": 2,
    "bytes": 2_000_000,
    "weights": 1_000_000,
    "stages": {"rewrite": 1.0, "graph": 0.5},
    "seconds": {"import": 2.0, "build": 0.1, "compile": 3.0},
}
VARIANT = {"ratio": 1.1, "calls": 4.0, "subdnns": 3, "structures": 2, "bytes": 5_000_000}
VARIANTS = {
    "all passes": {**VARIANT, "ratio": 1.0, "package": "a"},
    "merge-subdnns": {**VARIANT, "package": "b"},
    "reuse-results": {**VARIANT, "ratio": 0.97, "package": "a"},
    "no pass": {**VARIANT, "package": "c"},
}
FOUND: dict[str, dict[str, Any]] = {
    "correctness": NUMBERS,
    "latency": {
        "times_as_fast": 3.0,
        "times_as_fast_as_package": 1.5,
        "eager": TIMES,
        "contender": TIMES,
        "units": {"row": [2]},
    },
    "ablation": {"variants": VARIANTS},
    "overhead": {"cold": COMPILED, "warm": COMPILED},
    "batching": {
        "milliseconds_per_input": {"1": 0.5, "256": 0.25},
        "times_as_fast": {"1": 2.0, "256": 4.0},
        "error": 0.0,
    },
}


def pretend(self: Runner, cell: Cell) -> Outcome:
    """Measure nothing: one model fails, one is not run, the others have results."""
    if cell.model == "Crashing":
        return Failed(cell=cell, reason="its process crashed: SIGABRT", detail="/a/path/a.py")
    if cell.model == "Hanging":
        return NotRun(cell=cell)
    return Measured(cell=cell, found=FOUND[cell.measurement], took=1.0)


@contextmanager
def silently(what: str) -> Iterator[Progress]:
    yield lambda done, total, words: None


def finished(name: str, request: Request, folder: Path) -> Finished:
    plan = Plan(request=request, state=folder / "state", output=folder / "results")
    (found,) = reproduce([name], plan, silently)
    return found


@pytest.fixture
def pretending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runner, "_outcome", pretend)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.usefixtures("pretending")
def test_a_table_is_written_with_its_machine_and_a_plot(
    name: str, tiny: Catalog, tmp_path: Path
) -> None:
    found = finished(name, Request(catalog=tiny, every=True), tmp_path)
    results = tmp_path / "results"
    content = json.loads((results / f"{name}.json").read_text())
    assert content["machine"]["cores"] >= 1
    assert len(content["cells"]) == len(found.outcomes)
    assert "/a/path/" not in (results / f"{name}.json").read_text()
    page = (results / f"{name}.md").read_text()
    assert page.startswith(f"# {TABLES[name].title}\n")
    assert "Machine: " in page
    assert f"({name}.svg)" in page
    assert (results / f"{name}.svg").read_text().endswith("</svg>\n")
    before = {file.name: file.read_bytes() for file in results.iterdir()}
    finished(name, Request(catalog=tiny, every=True), tmp_path)
    assert before == {file.name: file.read_bytes() for file in results.iterdir()}


@pytest.mark.parametrize("name", ["correctness", "latency", "ablation", "overhead"])
@pytest.mark.usefixtures("pretending")
def test_what_failed_and_what_was_not_run_are_rows(
    name: str, tiny: Catalog, tmp_path: Path
) -> None:
    page = finished(name, Request(catalog=tiny, every=True), tmp_path).markdown
    assert "| Crashing |" in page
    assert "failed: its process crashed: SIGABRT" in page
    assert "- Crashing, onnxruntime: its process crashed: SIGABRT" in page
    assert "| Hanging |" in page
    assert "not run" in page


@pytest.mark.usefixtures("pretending")
def test_a_difference_is_named(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**NUMBERS, "passed": False, "inconsistent": 1, "inconsistent_rate": 0.01}
    monkeypatch.setitem(FOUND, "correctness", {**wrong, "first_failing": ["input 3: differs"]})
    request = Request(catalog=tiny, models=("Halving",), backends=("tvm", "trace"))
    found = finished("correctness", request, tmp_path)
    assert found.differing == ["correctness: Halving, tvm"]
    assert "| 1.0% / -6.5 (differs) | 1.0% / -6.5 |" in found.markdown
    assert "- Halving, tvm: input 3: differs" in found.markdown


@pytest.mark.usefixtures("pretending")
def test_published_figures_stand_beside_ours(tiny: Catalog, tmp_path: Path) -> None:
    correctness = finished("correctness", Request(catalog=tiny), tmp_path).markdown
    assert (
        "| inputs on which a traced model decides otherwise | 83-100 % | Chen et al." in correctness
    )
    systems = finished("systems", Request(catalog=tiny), tmp_path).markdown
    assert (
        "| Halving | 2x (Somebody, a machine) | 250.0 per row | 3.00x (250.0 per row) |" in systems
    )
    assert "| Elsewhere (no such model was run) | 2x (Somebody, a machine) | - |" in systems


@pytest.mark.usefixtures("pretending")
def test_where_no_float_can_be_compared_there_is_no_error(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**NUMBERS, "passed": False, "inconsistent": 9, "inconsistent_rate": 0.09}
    shapes = {"mismatched": 9, "max_absolute_error": 0.0, "log10_error": -10.0}
    monkeypatch.setitem(FOUND, "correctness", {**wrong, **shapes})
    request = Request(catalog=tiny, models=("Halving",), backends=("trace",))
    assert "| 9.0% / - |" in finished("correctness", request, tmp_path).markdown


@pytest.mark.usefixtures("pretending")
def test_means_are_beside_the_default_backend_on_the_same_models(
    tiny: Catalog, tmp_path: Path
) -> None:
    page = finished("latency", Request(catalog=tiny), tmp_path).markdown
    rows = {line.split(" | ")[0]: line.split(" | ") for line in page.splitlines()}
    same = dict(zip(rows["| model"], rows["| onnxruntime, same models"], strict=True))
    assert same["onnxruntime"] == "3.00x (3 models)"
    assert same["tvm"] == "3.00x (2 models)"


@pytest.mark.usefixtures("pretending")
def test_outcomes_of_older_sources_may_say_less(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "in turns with it" in finished("latency", Request(catalog=tiny), tmp_path).markdown
    monkeypatch.delitem(FOUND["latency"], "times_as_fast_as_package")
    page = finished("latency", Request(catalog=tiny), tmp_path / "older").markdown
    assert "in turns with it" not in page


@pytest.mark.usefixtures("pretending")
def test_packages_that_are_the_same_say_what_is_noise(tiny: Catalog, tmp_path: Path) -> None:
    page = finished("ablation", Request(catalog=tiny), tmp_path).markdown
    assert "| without merge-subdnns | 1.10x, 4.0 calls |" in page
    assert "| without reuse-results | same package, 4.0 calls |" in page
    assert "| no pass | 1.10x, 4.0 calls |" in page
    assert "took 0.97 to 0.97 times as long" in page


@pytest.mark.usefixtures("pretending")
def test_batches_are_beside_eager(tiny: Catalog, tmp_path: Path) -> None:
    page = finished("batching", Request(catalog=tiny), tmp_path).markdown
    assert "| eager | 0.500 | - | - | - | 0.250 |" in page
    assert "| together | 0.500 (2.00x) | - | - | - | 0.250 (4.00x) |" in page


def test_heavy_and_slow_ones_are_left_to_who_asks(tiny: Catalog) -> None:
    def asked(**changes: object) -> set[tuple[str, str]]:
        request = replace(Request(catalog=tiny), **changes)  # type: ignore[arg-type]
        cells = TABLES["correctness"].cells(request)
        return {(cell.model, cell.backend) for cell in cells}

    cells = asked()
    assert ("Deeper", "onnxruntime") in cells
    assert ("Deeper", "tvm") not in cells
    assert ("Halving", "inductor") in cells
    assert ("Crashing", "inductor") not in cells
    assert ("Deeper", "tvm") in asked(every=True)
    assert ("Deeper", "inductor") in asked(models=("Deeper",))
    assert asked(models=("Deeper",), backends=("tvm",)) == {("Deeper", "tvm")}
