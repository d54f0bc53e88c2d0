"""Deep recursion in threads of their own, several at once."""

import sys
import threading

import pytest

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
