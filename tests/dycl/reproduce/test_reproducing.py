"""Tables together: what runs first, and what happens where time runs out."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import Cell, Failed, NotRun, Outcome
from dycl.reproduce.reproducing import Plan, reproduce
from dycl.reproduce.running import Progress, Runner
from dycl.reproduce.tables.table import Request


@contextmanager
def silently(what: str) -> Iterator[Progress]:
    yield lambda done, total, words: None


def test_the_main_columns_of_all_tables_come_before_other_backends(
    tiny: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[Cell] = []

    def note(self: Runner, cell: Cell) -> Outcome:
        ran.append(cell)
        return Failed(cell=cell, reason="noted")

    monkeypatch.setattr(Runner, "_in_process", note)
    plan = Plan(request=Request(catalog=tiny), state=tmp_path / "state", output=tmp_path, jobs=1)
    finished = reproduce(["correctness", "latency", "systems"], plan, silently)
    kinds = [(cell.measurement, cell.backend) for cell in ran]
    assert len(ran) == len(set(ran)), "a cell that two tables share is run once"
    first_other = kinds.index(("correctness", "openvino"))
    for main in (("correctness", "trace"), ("latency", "onnxruntime"), ("latency", "oracle")):
        assert all(place < first_other for place, kind in enumerate(kinds) if kind == main)
    assert kinds.index(("latency", "torch.compile")) < kinds.index(("correctness", "inductor"))
    assert [each.table.name for each in finished] == ["correctness", "latency", "systems"]
    assert all((tmp_path / f"{each.table.name}.md").exists() for each in finished)


def test_where_time_runs_out_tables_are_written_and_say_so(tiny: Catalog, tmp_path: Path) -> None:
    plan = Plan(request=Request(catalog=tiny), state=tmp_path / "state", output=tmp_path, minutes=0)
    (table,) = reproduce(["correctness"], plan, silently)
    assert {type(outcome) for outcome in table.outcomes} == {NotRun}
    assert "not run" in (tmp_path / "correctness.md").read_text()
