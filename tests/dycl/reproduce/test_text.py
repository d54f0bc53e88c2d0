"""Text of tables: cells stay cells, and no folder of a machine gets into a page."""

import pytest

from dycl.reproduce.text import as_markdown, shortened, without_folders


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No such file: '/home/me/zoo/a.txt'", "No such file: 'a.txt'"),
        ("/tmp/x/net.py:3: and/or/else, 3 / 4", "net.py:3: and/or/else, 3 / 4"),
        ("zoo/net.py:3", "zoo/net.py:3"),
    ],
)
def test_folders_are_left_out(text: str, expected: str) -> None:
    assert without_folders(text) == expected


def test_bars_and_lines_do_not_end_a_cell() -> None:
    assert as_markdown(["a"], [["x | y\nz"]]) == "| a |\n| --- |\n| x \\| y z |"


def test_long_texts_are_cut() -> None:
    assert shortened("word " * 20, 12) == "word word..."
