"""The README's table of models comes from the report, and names every model."""

import pytest

from tests.zoo.models import ENTRIES
from zoo import report
from zoo.report import BEGIN, END, README, Row, as_markdown, examine, with_table


def test_the_readme_has_a_row_for_each_model() -> None:
    text = README.read_text()
    table = text[text.index(BEGIN) : text.index(END)]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:]] == [f"| {name}" for name in ENTRIES]
    assert all(f"`{entry.target}`" in table for entry in ENTRIES.values())


def test_a_row_is_examined_from_the_model_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PATH_SAMPLES", 20)
    monkeypatch.setattr(report, "ACCURACY_PICTURES", 20)
    row = examine(ENTRIES["BlockDrop ResNet-32"])
    assert row.parameters == 136_265
    assert row.layers == 1 + 2 * 15 + 1 + 1 + 2 * 3 + 1
    assert row.weights == "trained"
    assert row.choices.endswith("of 15 gates both ways")


def test_the_table_replaces_what_is_between_the_markers() -> None:
    row = Row(
        name="A",
        target="a.py:build",
        layers=1,
        parameters=1234,
        weights="trained",
        accuracy=0.5,
        paths=2,
        choices="1 of 1 gates both ways",
    )
    table = as_markdown([row])
    line = "| A | `a.py:build` | 1 | 1,234 | trained | 50.0% | 2 | 1 of 1 gates both ways |"
    assert table.splitlines()[-1] == line
    text = with_table(f"before\n{BEGIN}\nold\n{END}\nafter\n", table)
    assert text == f"before\n{BEGIN}\n{table}\n{END}\nafter\n"
    assert with_table(text, table) == text


def test_a_readme_without_markers_is_an_error() -> None:
    with pytest.raises(SystemExit, match="lacks the lines"):
        with_table("no table here", "")
