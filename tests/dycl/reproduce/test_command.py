"""``dycl reproduce`` on bad input, and on the tiny catalog."""

from pathlib import Path

import pytest

from dycl.cli.main import main
from dycl.reproduce.cells import Cell, Outcome
from dycl.reproduce.child import Job, run
from dycl.reproduce.running import Runner
from dycl.reproduce.tables import TABLES
from tests.dycl.reproduce.conftest import TINY


def failing(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["reproduce", *arguments]) == 2
    return capsys.readouterr().err


def test_an_unknown_table_lists_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    error = failing(capsys, "speed", "--catalog", str(TINY))
    assert "no table is called 'speed'" in error
    assert all(name in error for name in (*TABLES, "all"))


def test_an_unknown_model_lists_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    error = failing(capsys, "correctness", "--catalog", str(TINY), "--model", "halving")
    assert "no model is called 'halving'" in error
    assert "Halving; Deeper; Counting; Crashing; Hanging" in error


def test_an_unknown_backend_lists_the_backends(capsys: pytest.CaptureFixture[str]) -> None:
    error = failing(capsys, "latency", "--catalog", str(TINY), "--backend", "onnx")
    assert "no backend is called 'onnx'" in error
    assert "onnxruntime" in error and "oracle" in error


@pytest.mark.parametrize(
    ("table", "name"), [("correctness", "oracle"), ("latency", "trace"), ("batching", "oracle")]
)
def test_a_table_takes_nothing_that_it_cannot_measure(
    capsys: pytest.CaptureFixture[str], table: str, name: str
) -> None:
    error = failing(capsys, table, "--catalog", str(TINY), "--backend", name)
    assert f"the table {table} has no '{name}'" in error
    assert "it takes: " in error and "onnxruntime" in error


def test_outcomes_cannot_be_both_taken_and_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    error = failing(capsys, "latency", "--catalog", str(TINY), "--again", "--older")
    assert "give one of them" in error


def test_a_missing_catalog_says_what_to_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    error = failing(capsys, "all")
    assert "there is no catalog of models at zoo/catalog.py" in error
    assert "--catalog FILE" in error


def test_a_file_that_is_no_catalog_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = tmp_path / "models.py"
    other.write_text("x = 1\n")
    assert "has no CATALOG" in failing(capsys, "all", "--catalog", str(other))
    half = tmp_path / "half.py"
    half.write_text("class Entry:\n    name = 'A'\n    family = ''\n\n\nCATALOG = (Entry(),)\n")
    assert "A in CATALOG of" in failing(capsys, "all", "--catalog", str(half))


@pytest.mark.parametrize("part", [["--model", "Halving", "--backend", "trace"], []])
def test_what_is_not_published_is_printed_and_not_written(
    part: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def here(self: Runner, cell: Cell) -> Outcome:
        return run(Job(catalog=TINY, cell=cell, package=tmp_path, output=tmp_path))

    monkeypatch.setattr(Runner, "_in_process", here)
    monkeypatch.chdir(tmp_path)
    arguments = ["--catalog", str(TINY), *part, "--count", "4", "--minutes", "60" if part else "0"]
    assert main(["reproduce", "correctness", *arguments]) == 0
    assert "Halving" in capsys.readouterr().out
    assert not (tmp_path / "docs").exists()
    assert bool(part) == bool(list((tmp_path / "build" / "reproduce").rglob("*.json")))
