"""The collector of cycles looks seldom while a program is compiled, and as before afterwards."""

import gc
from collections.abc import Iterator

import pytest

import dycl
from dycl.collecting import seldom_collecting


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_thresholds_are_raised_and_restored() -> None:
    gc.set_threshold(700, 20, 5)
    with seldom_collecting():
        assert gc.get_threshold() == (20_000, 20, 10)
    assert gc.get_threshold() == (700, 20, 5)


def test_they_stay_raised_until_the_last_has_ended() -> None:
    gc.set_threshold(700, 10, 10)
    one, other = seldom_collecting(), seldom_collecting()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold()[0] == 20_000
    other.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


def test_they_are_restored_after_errors() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ZeroDivisionError), seldom_collecting():
        print(1 // 0)
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_is_off_stays_off() -> None:
    gc.set_threshold(0)
    with seldom_collecting():
        assert gc.get_threshold()[0] == 0
    assert gc.get_threshold()[0] == 0


def test_programs_are_rewritten_so(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, int]] = []
    monkeypatch.setattr("rewriter.rewrite", lambda *_, **__: seen.append(gc.get_threshold()))
    gc.set_threshold(700, 10, 10)
    dycl.rewrite(abs, ())
    assert seen == [(20_000, 10, 10)]
