"""Numbers of the host in ONNX are Python's: floor division, NaN, 64 bits, first of equals."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import dycl
from rewriter.diagnostics import CompileError
from tests.one_onnx.plain_runtime import OneFile

INTEGERS = (-7, -2, -1, 0, 1, 2, 5, 12)
FLOATS = (-1.5, -0.0, 0.0, 0.3, 2.0, math.inf, -math.inf, math.nan)


def whole_numbers(x: Tensor, n: int) -> tuple[Any, ...]:
    """Arithmetic on a number that a remainder bounds."""
    small = n % 1000 - 500
    return x + 1, small // 7, small % 7, small // -7, small % -7, -small, abs(small), small * 3 / 4


def floats(x: Tensor, a: float, b: float) -> tuple[Any, ...]:
    """Comparisons and choices, of NaN too."""
    return (
        x + 1, a < b, a <= b, a > b, a >= b, a == b, a != b, 0 <= a < b <= 2, max(a, b),
        min(a, b), a and b, a or b, not a, a if a < b else b, a + b, a - b, a * 2.5, a / 4,
    )  # fmt: skip


def truths(x: Tensor, n: int) -> tuple[Any, ...]:
    """Truth values are numbers."""
    one, two = n > 0, n % 2 == 0
    return (
        x + 1,
        one + two,
        one * 3,
        -one,
        one & two,
        one | two,
        one ^ two,
        one and two,
        max(one, n > 5),
    )


def counted(x: Tensor, n: int) -> tuple[Any, ...]:
    """A counter has no bound, and needs no more than 64 bits."""
    count, odd = 0, 0
    for i in range(n):
        count += 2
        odd += i % 2
    return x + 1, count, odd


def extremes(x: Tensor) -> tuple[Any, ...]:
    """Which is the largest: the first one of equals, and any NaN."""
    parts = [x[0], x[1], x[2]]
    return x + 1, np.argmax(parts), np.argmin(parts)


def compiled(function: Callable[..., Any], *example: Any, output: Path) -> OneFile:
    """Compile a function to one file."""
    dycl.emit_onnx(function, example, output=output)
    return OneFile(output, function)


def same(expected: Any, actual: Any) -> bool:
    """Return whether numbers are equal, of one type, with one sign."""
    if isinstance(expected, Tensor):
        return bool(np.array_equal(expected.numpy(), actual))
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(actual)
    return bool(expected == actual and math.copysign(1, expected) == math.copysign(1, actual))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (whole_numbers, [(n,) for n in (*INTEGERS, 2**63 - 1, -(2**63))]),
        (floats, list(itertools.product(FLOATS, FLOATS))),
        (truths, [(n,) for n in INTEGERS]),
        (counted, [(n,) for n in INTEGERS]),
    ],
)
def test_numbers_are_pythons(
    function: Callable[..., Any], arguments: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    """Each result is Python's, to the bit."""
    x = torch.ones(2)
    file = compiled(function, x, *arguments[0], output=tmp_path / "one")
    for given in arguments:
        expected, actual = function(x, *given), file(x.numpy(), *given)
        pairs = list(zip(expected, actual, strict=True))
        assert all(same(*pair) for pair in pairs), (given, pairs)


def test_extremes_are_numpys(tmp_path: Path) -> None:
    """NaN is both the largest and the smallest."""
    file = compiled(extremes, torch.ones(3), output=tmp_path / "one")
    for values in itertools.product((-1.0, 0.0, 2.0, math.nan), repeat=3):
        x = torch.tensor(values)
        expected, actual = extremes(x), file(x.numpy())
        assert expected[1:] == actual[1:], values
        assert expected[1].dtype == actual[1].dtype


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        (lambda x, n: (x, n + 1), "more than 64 bits"),
        (lambda x, n: (x, n * n), "more than 64 bits"),
        (lambda x, n: (x, 7 // n), "by zero"),
        (lambda x, n: (x, n > 0.5), "beyond 2**53"),
        (lambda x, n: (x, n**2), "`**` of numbers"),
    ],
)
def test_what_may_differ_is_refused(
    expression: Callable[..., Any], why: str, tmp_path: Path
) -> None:
    """A number of which nothing is known may be any integer."""
    with pytest.raises(CompileError) as refusal:
        dycl.emit_onnx(expression, (torch.ones(2), 3), output=tmp_path / "one")
    assert why in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
