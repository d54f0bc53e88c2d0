"""Golden texts: compare with a file, or rewrite it and fail once."""

from pathlib import Path

import pytest


def check_golden(path: Path, text: str, update: bool) -> None:
    """Fail unless ``path`` holds ``text``; with ``update``, write it first and fail anyway.

    Failing after an update makes sure that nobody blesses a file without looking at it.
    """
    expected = path.read_text() if path.exists() else None
    if expected == text:
        return
    if update:
        path.write_text(text)
        pytest.fail(f"{path.name} was rewritten: look at the difference, then run again")
    if expected is None:
        pytest.fail(f"{path} does not exist: run with --update-golden to write it")
    assert text == expected
