"""Cells in processes: crashes and hangs are outcomes, known ones are not run again."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from dycl.reproduce import causes
from dycl.reproduce.catalog import Catalog
from dycl.reproduce.causes import Causes
from dycl.reproduce.cells import Cell, Failed, Measured, NotRun, Outcome
from dycl.reproduce.machine import this_machine
from dycl.reproduce.processes import Processes
from dycl.reproduce.running import Runner
from dycl.reproduce.state import State
from tests.dycl.reproduce.conftest import CELL


def runner(
    catalog: Catalog,
    folder: Path,
    *,
    minutes: float = 5,
    again: bool = False,
    older: bool = False,
) -> Runner:
    return Runner(
        catalog=catalog,
        causes=Causes(catalog=catalog, machine=this_machine()),
        state=State(directory=folder),
        processes=Processes(catalog.file),
        deadline=time.monotonic() + 60 * minutes,
        again=again,
        older=older,
    )


def run(given: Runner, *cells: Cell, jobs: int = 3) -> tuple[Outcome, ...]:
    outcomes: dict[Cell, Outcome] = {}
    with given.processes:
        given.run(cells, jobs, lambda done, total, words: None, outcomes.__setitem__)
    return tuple(outcomes[cell] for cell in cells)


def test_a_crash_and_a_hang_are_rows_and_the_next_run_knows_them(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = (CELL, replace(CELL, model="Crashing"), replace(CELL, model="Hanging", seconds=0.3))
    good, crashed, hung = run(runner(tiny, tmp_path), *cells)
    assert isinstance(good, Measured), good
    assert isinstance(crashed, Failed)
    assert crashed.reason == "its process crashed: SIGABRT"
    assert isinstance(hung, Failed)
    assert hung.reason == "took longer than 0 s"

    def fails(*_: object) -> Outcome:
        raise AssertionError("run again")

    monkeypatch.setattr(Runner, "_in_process", fails)
    again = run(runner(tiny, tmp_path), *cells)
    assert again == (good, crashed, hung)
    with pytest.raises(AssertionError, match="run again"):
        run(runner(tiny, tmp_path, again=True), CELL)
    with pytest.raises(AssertionError, match="run again"):
        run(runner(tiny, tmp_path), replace(CELL, count=9))


def test_outcomes_of_other_sources_are_taken_where_that_is_asked_for(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(self: Runner, cell: Cell) -> Outcome:
        return Measured(cell=cell, found={}, took=1.0)

    monkeypatch.setattr(Runner, "_in_process", measured)
    monkeypatch.setattr(Causes, "commit", "old")
    (old,) = run(runner(tiny, tmp_path), CELL)
    assert isinstance(old, Measured)
    monkeypatch.setattr(Causes, "of_cell", lambda self, cell: "of other sources")
    monkeypatch.setattr(Causes, "commit", "new")
    new = replace(old, commit="new")
    assert run(runner(tiny, tmp_path, older=True), CELL) == (old,)
    assert run(runner(tiny, tmp_path), CELL) == (new,)
    assert run(runner(tiny, tmp_path, older=True), CELL) == (new,)


def test_a_catalog_from_elsewhere_does_not_hide_changed_sources(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(causes.__file__).parents[2]

    def git(folder: Path, command: str, *arguments: str) -> str:
        if command == "rev-parse":
            return str(root) if "--show-toplevel" in arguments else "abc"
        named = [root / each for each in arguments if not each.startswith("-")]
        return " M a.py" if all(each.is_relative_to(root) for each in named) else ""

    monkeypatch.setattr(causes, "_git", git)
    for file in (tiny.file, tmp_path / "catalog.py"):
        catalog = replace(tiny, file=file)
        assert Causes(catalog=catalog, machine=this_machine()).commit == "abc+"


def test_an_interrupted_run_goes_on_with_what_is_missing(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [replace(CELL, backend=name) for name in ("a", "b", "c", "d")]
    ran: list[str] = []

    def interrupted(self: Runner, cell: Cell) -> Outcome:
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(cell.backend)
        return Measured(cell=cell, found={}, took=1.0)

    monkeypatch.setattr(Runner, "_in_process", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(runner(tiny, tmp_path), *cells, jobs=1)
    first = list(ran)
    ran.clear()
    found = run(runner(tiny, tmp_path), *cells, jobs=1)
    assert all(isinstance(outcome, Measured) for outcome in found)
    assert sorted(first + ran) == ["a", "b", "c", "d"]


def test_an_interruption_ends_processes_and_is_no_outcome(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process = Runner._in_process

    def interrupted(self: Runner, cell: Cell) -> Outcome:
        if cell.model != "Hanging":
            time.sleep(0.3)
            raise KeyboardInterrupt
        return in_process(self, cell)

    monkeypatch.setattr(Runner, "_in_process", interrupted)
    hanging = replace(CELL, model="Hanging")
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(runner(tiny, tmp_path), CELL, hanging)
    assert time.monotonic() - begin < hanging.seconds / 2
    assert list(tmp_path.rglob("*.json")) == []


def test_no_cell_begins_after_the_time_is_up(tiny: Catalog, tmp_path: Path) -> None:
    (found,) = run(runner(tiny, tmp_path, minutes=0), CELL)
    assert found == NotRun(cell=CELL)
    assert State(directory=tmp_path).read(CELL, "") is None


def test_damaged_state_is_as_good_as_none(tiny: Catalog, tmp_path: Path) -> None:
    state = State(directory=tmp_path)
    state.write(Measured(cell=CELL, found={}, took=1.0), "digest")
    assert state.read(CELL, "digest") is not None
    assert state.read(CELL, "another") is None
    (file,) = tmp_path.rglob("*.json")
    file.write_text('{"digest": "digest", "outcome"')
    assert state.read(CELL, "digest") is None


def test_packages_of_other_causes_are_forgotten(tmp_path: Path) -> None:
    state = State(directory=tmp_path)
    first = state.package("A", "tvm", "first")
    first.mkdir()
    first.with_name(f"{first.name}.lock").touch()
    kept = state.package("A", "tvm", "second")
    assert not kept.exists()
    assert list(kept.parent.iterdir()) == []


def test_a_package_that_another_cell_is_writing_stays(tmp_path: Path) -> None:
    state = State(directory=tmp_path)
    package = state.package("A", "tvm", "first")
    beside = package.with_name(f".{package.name}.writing-abc")
    beside.mkdir()
    assert state.package("A", "tvm", "first") == package
    assert beside.exists()


def test_the_causes_are_the_model_the_options_and_the_machine(tiny: Catalog) -> None:
    known = Causes(catalog=tiny, machine=this_machine())
    other = Causes(catalog=tiny, machine=replace(this_machine(), processor="another"))
    assert known.of_cell(CELL) == Causes(catalog=tiny, machine=this_machine()).of_cell(CELL)
    assert known.of_cell(CELL) != known.of_cell(replace(CELL, count=9))
    assert known.of_cell(CELL) != other.of_cell(CELL)
    halving, *rest = tiny.entries
    decided = replace(tiny, entries=(replace(halving, method="other"), *rest))  # type: ignore
    changed = Causes(catalog=decided, machine=this_machine())
    assert known.of_model("Halving") != changed.of_model("Halving")
    assert known.of_model("Deeper") == changed.of_model("Deeper")
    assert known.of_package("Halving", "tvm") == other.of_package("Halving", "tvm")


def test_cells_on_other_numbers_of_inputs_are_kept_side_by_side(tmp_path: Path) -> None:
    state = State(directory=tmp_path)
    cells = [replace(CELL, count=count) for count in (6, 10)]
    for cell in cells:
        state.write(Failed(cell=cell, reason=str(cell.count)), "digest")
    assert [state.read(cell, "digest") for cell in cells] == [
        Failed(cell=cell, reason=str(cell.count)) for cell in cells
    ]


def test_a_cell_that_is_timed_runs_beside_one_that_is_not(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [
        replace(CELL, measurement=measurement, backend=str(number))
        for measurement, count in (("latency", 3), ("correctness", 4))
        for number in range(count)
    ]
    together = threading.Barrier(2)
    pairs: list[Cell] = []

    def meet(self: Runner, cell: Cell) -> Outcome:
        if len(pairs) < 6:
            together.wait(60)
        pairs.append(cell)
        if len(pairs) <= 6:
            together.wait(60)
        return Failed(cell=cell, reason="met")

    monkeypatch.setattr(Runner, "_in_process", meet)
    run(runner(tiny, tmp_path), *cells, jobs=2)
    for first in range(0, 6, 2):
        assert {cell.is_timed for cell in pairs[first : first + 2]} == {True, False}
    assert set(pairs) == set(cells)
    assert [cell.backend for cell in pairs if cell.is_timed] == ["0", "1", "2"]
    # from the end: no two that run together are of the same model, where there are many
    assert [cell.backend for cell in pairs if not cell.is_timed] == ["3", "2", "1", "0"]


def test_cells_that_are_timed_are_run_where_nothing_else_is_left(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [replace(CELL, measurement="latency", backend=str(number)) for number in range(4)]
    together = threading.Barrier(2)

    def meet(self: Runner, cell: Cell) -> Outcome:
        together.wait(60)
        return Failed(cell=cell, reason="met")

    monkeypatch.setattr(Runner, "_in_process", meet)
    assert len(run(runner(tiny, tmp_path), *cells, jobs=2)) == 4
