"""Deep recursion in threads of their own, several at once."""

import signal
import sys
import threading
import time

import pytest

from rewriter import deep_stack
from rewriter.deep_stack import with_deep_stack


def descend(depth: int) -> int:
    return depth and 1 + descend(depth - 1)


def test_deep_recursion_has_room_and_the_limit_comes_back() -> None:
    before = sys.getrecursionlimit()
    found: list[int] = []
    with_deep_stack(lambda: found.append(descend(20_000)))
    assert found == [20_000]
    assert sys.getrecursionlimit() == before


def test_what_it_raises_is_raised() -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: print(1 // 0))
    assert sys.getrecursionlimit() == before


def test_one_that_ends_leaves_the_other_its_room() -> None:
    before = sys.getrecursionlimit()
    deep, ended = threading.Event(), threading.Event()
    found: list[int] = []

    def wait_below(depth: int) -> int:
        if depth:
            return wait_below(depth - 1)
        deep.set()
        assert ended.wait(30)
        return descend(10_000)

    other = threading.Thread(
        target=with_deep_stack, args=(lambda: found.append(wait_below(10_000)),)
    )
    other.start()
    assert deep.wait(30)
    with_deep_stack(lambda: None)
    ended.set()
    other.join()
    assert found == [10_000]
    assert sys.getrecursionlimit() == before


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals of Unix")
def test_what_nobody_waits_for_ends() -> None:
    before, turns = sys.getrecursionlimit(), list[int]()

    def go_on() -> None:
        while True:
            turns.append(len(turns))
            time.sleep(0.001)

    class Stopped(BaseException):
        """What a caller interrupts the evaluation with."""

    def stop(*_: object) -> None:
        raise Stopped

    handler = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stopped):
            with_deep_stack(go_on)
    finally:
        signal.signal(signal.SIGALRM, handler)
    ended = len(turns)
    time.sleep(0.05)
    assert 0 < ended == len(turns)
    assert sys.getrecursionlimit() == before
    assert not [each for each in threading.enumerate() if each.name == "dycl-evaluator"]


@pytest.mark.parametrize("begun", [True, False], ids=["begun", "not begun"])
def test_an_interrupt_while_it_starts_ends_it(begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    before, turns, threads = sys.getrecursionlimit(), list[int](), list[threading.Thread]()
    start = deep_stack._start

    def go_on() -> None:
        while True:
            turns.append(len(turns))
            time.sleep(0.001)

    def interrupted(thread: threading.Thread) -> None:
        threads.append(thread)
        if begun:
            start(thread)
            time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(deep_stack, "_start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        with_deep_stack(go_on)
    if not begun:  # Python may start it all the same
        start(threads[0])
        threads[0].join(30)
    ended = len(turns)
    time.sleep(0.05)
    assert begun == bool(ended)
    assert ended == len(turns)
    assert sys.getrecursionlimit() == before
