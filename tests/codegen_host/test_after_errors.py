"""What host packages do after errors that leave them: also where somebody observes the call."""

from pathlib import Path

import pytest

import dycl
from rewriter.after_errors import AfterErrors


def quotient(n: int, k: int) -> float:
    """Divide, and tell of it."""
    try:
        found = 12 // n
    finally:
        print("left", n)
    return found / k


def test_a_package_does_what_its_clauses_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = dycl.compile(quotient, (3, 2), output=tmp_path / "quotient_dycl")
    capsys.readouterr()
    events: list[tuple[object, ...]] = []
    with pytest.raises(ZeroDivisionError):
        compiled(0, 2)
    assert capsys.readouterr().out == "left 0\n"
    with pytest.raises(ZeroDivisionError), compiled.observe(events.append):
        compiled(0, 2)
    assert capsys.readouterr().out == "left 0\n"
    with pytest.raises(ZeroDivisionError):
        compiled(3, 0)
    assert capsys.readouterr().out == "left 3\n"
    assert compiled(3, 2) == 2.0
    assert (tmp_path / "quotient_dycl" / "_after_errors.py").exists()


def test_steps_of_open_calls_come_innermost_first() -> None:
    done: list[str] = []

    def fail() -> None:
        AfterErrors.calling(lambda: done.append("outer"))
        AfterErrors.do(lambda: done.append("gone"))
        AfterErrors.do(lambda: done.append("first"), lambda: done.append("second"))
        raise ValueError

    with pytest.raises(ValueError):
        AfterErrors.entry(fail)()
    assert done == ["first", "second", "outer"]


def test_nothing_is_done_once_a_function_has_returned() -> None:
    done: list[str] = []

    def fail() -> None:
        AfterErrors.calling(lambda: done.append("outer"))
        AfterErrors.do(lambda: done.append("inner"))
        AfterErrors.returned()
        AfterErrors.do()
        raise ValueError

    with pytest.raises(ValueError):
        AfterErrors.entry(fail)()
    assert done == []
