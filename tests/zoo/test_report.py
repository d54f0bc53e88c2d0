"""The README's table of models comes from the report, and names every model."""

import pytest

from tests.zoo.models import ENTRIES
from zoo import report
from zoo.catalog import CATALOG
from zoo.report import (
    BEGIN,
    END,
    README,
    Row,
    as_line,
    as_markdown,
    choices_made,
    examine,
    lines_in,
    with_table,
)


def test_the_readme_has_a_row_for_each_model() -> None:
    lines = lines_in(README.read_text())
    assert list(lines) == [entry.name for entry in CATALOG]
    assert all(f"| `{entry.target}" in lines[entry.name] for entry in CATALOG)


def test_a_row_is_examined_from_the_model_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PATH_SAMPLES", 20)
    monkeypatch.setattr(report, "LABELLED", 20)
    row = examine(ENTRIES["BlockDrop ResNet-32"])
    assert row.parameters == 136_265
    assert row.layers == 1 + 2 * 15 + 1 + 1 + 2 * 3 + 1
    assert row.accuracy is not None
    assert row.choices.endswith("of 15 gates both ways")


def test_the_table_replaces_what_is_between_the_markers() -> None:
    entry = ENTRIES["SkipNet-38"]
    row = Row(entry=entry, layers=1, parameters=1234, accuracy=0.5, paths=2, choices="1 of 1")
    line = as_line(row.cells())
    assert line == (
        "| SkipNet-38 | skipping | `zoo/skipnet.py:build_model` | 1 | 1,234 | trained | 50.0% | 2 "
        f"| 1 of 1 | {entry.source} |"
    )
    table = as_markdown([line])
    text = with_table(f"before\n{BEGIN}\nold\n{END}\nafter\n", table)
    assert text == f"before\n{BEGIN}\n{table}\n{END}\nafter\n"
    assert with_table(text, table) == text
    assert lines_in(text) == {"SkipNet-38": line}


def test_choices_are_counted() -> None:
    assert choices_made([(1, 0, 1), (1, 1, 0)]) == "2 of 3 gates both ways"
    assert choices_made([(0, True), (5, False), (2, True)]) == "exits 0 2, late 5"
    assert choices_made([(0, 1, 3), (2, 2)]) == ""
    assert choices_made([3, 4]) == ""


def test_a_readme_without_markers_is_an_error() -> None:
    with pytest.raises(SystemExit, match="lacks the lines"):
        with_table("no table here", "")
