"""A cached function is called when compiling only if nothing but its result can come of that."""

import cProfile
import itertools
import math
import os
import random
import sys
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch

from rewriter import rewrite
from rewriter.diagnostics import CompileError
from rewriter.evaluation.calls.called_when_compiling import called_when_compiling
from rewriter.values import Known, TupleValue

_LIST = [1]
_NUMBERS = itertools.count()
_TABLE = {"a": 1}
_SCALE = 3
_TOTAL = 0


class _Point:
    shared: list[int] = []  # noqa: RUF012 - what is tested
    made = 0

    def __init__(self, x: int) -> None:
        self.x = x

    def counted(self) -> "_Point":
        kind = type(self)
        kind.made += 1
        return self

    def noted(self) -> "_Point":
        self.shared.append(self.x)
        return self

    @classmethod
    def made_by(cls, x: int) -> "_Point":
        cls.made = x
        return cls(x)


def _reads_list(n: int) -> int:
    return n + _LIST[0]


def _appends(n: int) -> int:
    _LIST.append(n)
    return n


def _binds(n: int) -> int:
    global _TOTAL
    _TOTAL = _TOTAL + n
    return n


def _counts(n: int) -> int:
    for number in _NUMBERS:
        return n + number
    return n


def _prints(n: int) -> int:
    return len(list(map(print, range(n))))


def _asks_time(n: int) -> float:
    return n + time.time()


def _asks_environment(n: int) -> str:
    return os.environ.get("HOME", "") * n


def _draws(n: int) -> float:
    return n * random.random()


def _warns(n: int) -> int:
    if n > 0:
        warnings.warn("positive", stacklevel=1)
    return n


def _reads_file(n: int) -> str:
    with open(__file__) as file:
        return file.read(n)


def _hashes(n: int) -> int:
    return hash("a") * n


def _remembers(n: int, seen: list[int] = []) -> int:  # noqa: B006 - what is tested
    seen.append(n)
    return len(seen)


def _counts_itself(n: int) -> int:
    _counts_itself.calls = n  # type: ignore[attr-defined]
    return n


def _counts_objects(n: int) -> int:
    return _Point(n).counted().x


def _notes_objects(n: int) -> int:
    return _Point(n).noted().x


def _by_class(n: int) -> int:
    return _Point.made_by(n).x


def _by_name(n: int) -> int:
    setattr(_Point, "made", n)  # noqa: B010 - what is tested
    return n


def _imports(n: int) -> float:
    import cmath

    return cmath.phase(n)


def _fails(n: int) -> float:
    return n / 0


def _asks_carefully(n: int) -> float:
    try:
        return n + time.time()
    except:  # noqa: E722 - what is tested
        return n


def _cleans_up(n: int) -> float:
    try:
        return n + time.time()
    finally:
        print("done")


def _gives_generator(n: int) -> Any:
    return (each for each in range(n))


def _gives_itself(n: int) -> Any:
    made: list[Any] = [n]
    made.append(made)
    return made


_Function = Callable[..., object]


@pytest.mark.parametrize(
    "function",
    [
        _reads_list, _appends, _binds, _counts, _prints, _asks_time, _asks_environment, _draws,
        _warns, _reads_file, _hashes, _remembers, _counts_itself, _counts_objects, _notes_objects,
        _by_class, _by_name, _imports, _fails, _asks_carefully, _cleans_up,
        _gives_generator, _gives_itself,
        lambda n: n + _TABLE["a"], lambda n: time.monotonic() * n, math.sqrt,
    ],
)  # fmt: skip
def test_what_may_do_or_see_more_is_not_called(
    function: _Function, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called_when_compiling(function, [Known(2)], {}) is None
    assert capsys.readouterr().out == ""
    assert (_LIST, _TOTAL, _Point.made, _Point.shared) == ([1], 0, 0, [])
    assert next(_NUMBERS) == 0 if function is _counts else True


class _Plain:
    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.names: dict[str, int] = OrderedDict()
        self._fill()

    def _fill(self) -> None:
        def add(name: str) -> None:
            self.last = name
            self.names[name] = len(self.names)

        for size in self.sizes:
            add(f"{size}")


def _makes_object(*sizes: int, scale: float = 1.0) -> Any:
    made = _Plain(tuple(sorted(size * _SCALE for size in sizes)))
    return made, math.floor(scale), [*itertools.chain(sizes, (1,))], {each for each in "abc"}


def test_what_is_made_of_its_arguments_is_given() -> None:
    found = called_when_compiling(_makes_object, [Known(2), Known(1)], {"scale": Known(2.5)})
    assert found is not None
    made, floor, sizes, letters = found.value
    assert (made.sizes, dict(made.names), made.last) == ((3, 6), {"3": 0, "6": 1}, "6")
    assert (floor, sizes, letters) == (2, [2, 1, 1], {"a", "b", "c"})


def test_tuples_are_given_as_such() -> None:
    pair = TupleValue((Known(1), TupleValue((Known("a"),))))
    found = called_when_compiling(lambda given: [given], [pair], {})
    assert found is not None and found.value == [(1, ("a",))]
    assert called_when_compiling(lambda given: [given], [Known([1])], {}) is None


_shift = 1


@cache
def _shifted(n: int) -> int:
    return n + _shift


def _shifts(x: torch.Tensor) -> torch.Tensor:
    global _shift
    _shift = 5
    return x * _shifted(3)


def test_a_function_that_reads_what_the_program_binds_is_not_called() -> None:
    """It would be called with what the variable is before the program runs."""
    with pytest.raises(CompileError, match="DYCL034"):
        rewrite(_shifts, (torch.ones(2),))


def _scaled(n: int) -> int:
    return n * _SCALE


def test_nothing_is_called_where_a_profiler_is_at_work() -> None:
    """cProfile's, which is no function of Python, goes on."""
    profile = cProfile.Profile()
    with profile:
        before = sys.getprofile()
        assert called_when_compiling(_scaled, [Known(4)], {}) is None
        assert sys.getprofile() is before
    found = called_when_compiling(_scaled, [Known(4)], {})
    assert found is not None and found.value == 12
