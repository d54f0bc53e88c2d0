"""Integers in OpenVINO are exact up to a limit, and beyond it the loader raises."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError
from rewriter.program import SymbolRange
from tests.dycl.symbolic import capture_symbolic, count, floats, integers

pytest.importorskip("openvino")

NUMBERS = torch.tensor([[7, -7, 0, 3], [1, 2, -2, 5]])


def compiled(function: Callable[..., Any], *inputs: Tensor, directory: Path) -> Callable[..., Any]:
    subdnn = capture_function(function, *inputs)
    return calls_of(create_backend("openvino"), [subdnn], directory)[subdnn.name]


TAKEN: dict[str, Callable[..., Any]] = {
    "sum": lambda x: (x + 1, x - 3, -x, x.abs()),
    "product": lambda x: x * 60,
    "quotient": lambda x: (x // 3, x % 3, x // -3, x % -3),
    "total": lambda x: (x.sum(1), x.sum(), x.cumsum(1)),
    "how many": lambda x: ((x > 0).sum(1), (x > 0).any(), (x > 0).all(1)),
    "compared": lambda x: (x == 7, x < 2, x.amax(1), x.clamp(0, 4), x.argmax(1), x.sort(1)[0]),
    "of indices": lambda x: (x.argmax() + 1, x.argmax(1) * 4 + x.argmin(1)),
    "narrow": lambda x: ((x > 0).to(torch.int32) + 1, x.clamp(0, 9).to(torch.uint8)),
}


@pytest.mark.parametrize("name", TAKEN)
def test_small_integers_are_exact(name: str, tmp_path: Path) -> None:
    function = TAKEN[name]
    call = compiled(function, NUMBERS, directory=tmp_path)
    expected = function(NUMBERS)
    results = call(NUMBERS.numpy())
    pairs = [(results, expected)] if isinstance(expected, Tensor) else zip(results, expected)  # noqa: B905
    for result, tensor in pairs:
        assert result.dtype == tensor.numpy().dtype
        np.testing.assert_array_equal(result, tensor.numpy())


@pytest.mark.parametrize("large", [2**24 + 1, -(2**24) - 1, 5 + 2**32])
def test_comparing_is_exact_or_raises(large: int, tmp_path: Path) -> None:
    """OpenVINO compares in single precision, where 2**24 and 2**24 + 1 are the same."""
    call = compiled(lambda x, y: x == y, NUMBERS, NUMBERS + 0, directory=tmp_path)
    edge = np.full_like(NUMBERS.numpy(), 2**24 - 1)
    np.testing.assert_array_equal(call(edge, edge - 1), np.zeros_like(edge, dtype=bool))
    wide = np.full_like(edge, large)
    with pytest.raises(OverflowError, match="an integer is beyond 16777215"):
        call(wide, wide - 1)


def test_what_is_only_moved_may_have_31_bits(tmp_path: Path) -> None:
    call = compiled(lambda x: (x.t(), x[:, 1:], torch.cat([x, x])), NUMBERS, directory=tmp_path)
    large = np.full_like(NUMBERS.numpy(), 2**31 - 1)
    for result in call(large):
        assert (result == 2**31 - 1).all()
    with pytest.raises(OverflowError):
        call(large + 1)


def test_limit_is_what_keeps_all_that_is_computed_small(tmp_path: Path) -> None:
    call = compiled(lambda x: x * x, NUMBERS, directory=tmp_path)
    edge = np.full_like(NUMBERS.numpy(), 2**12)
    np.testing.assert_array_equal(call(edge), edge * edge)
    with pytest.raises(OverflowError, match="beyond 4096"):
        call(edge + 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2**40,
        lambda x: x * x * x,
        lambda x: x.prod(),
        lambda x: x // (x + 100),
        lambda x: (x > 0).to(torch.uint8) * 200 + 100,
        lambda x: x.clamp(0, 300).to(torch.uint8),
        lambda x: x + 2**24,
    ],
)
def test_what_may_get_large_is_refused(function: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="DYCL411: OpenVINO cannot take this"):
        compiled(function, NUMBERS, directory=tmp_path)


def test_weights_count_too(tmp_path: Path) -> None:
    table = torch.tensor([1, 2**24 + 1])
    with pytest.raises(CompileError, match="DYCL411: OpenVINO cannot take this"):
        compiled(lambda x: x == table, torch.tensor([3, 4]), directory=tmp_path)


def test_sizes_of_run_time_are_watched(tmp_path: Path) -> None:
    subdnn = capture_symbolic(
        lambda x: x.argmax() * 200 + x.shape[0],
        {"x": floats("n")},
        integers(),
        symbols={"n": SymbolRange(minimum=1)},
    )
    call = calls_of(create_backend("openvino"), [subdnn], tmp_path)[subdnn.name]
    for n in (1, 2, 7, 2**16):
        assert call(np.arange(n, dtype=np.float32)) == (n - 1) * 200 + n
    with pytest.raises(OverflowError, match="a size is larger"):
        call(np.arange(2**16 + 1, dtype=np.float32))


def test_the_best_none(tmp_path: Path) -> None:
    """Its own operator fails where none is to be chosen."""
    subdnn = capture_symbolic(
        lambda x, k: x.topk(k),
        {"x": floats("n"), "k": count(0)},
        floats("k"),
        integers("k"),
    )
    call = calls_of(create_backend("openvino"), [subdnn], tmp_path)[subdnn.name]
    x = torch.tensor([0.5, 2.0, -1.0, 3.0])
    for n, k in ((4, 0), (4, 2), (4, 4), (0, 0), (1, 1)):
        values, indices = call(x[:n].numpy(), np.array(k))
        expected = x[:n].topk(k)
        np.testing.assert_array_equal(values, expected.values.numpy())
        np.testing.assert_array_equal(indices, expected.indices.numpy())
    with pytest.raises(RuntimeError):
        call(x.numpy(), np.array(5))
    lowest = np.full(3, np.finfo(np.float32).min)
    try:
        _, indices = call(lowest, np.array(3))
    except FloatingPointError:
        return
    assert sorted(indices.tolist()) == [0, 1, 2]


@pytest.mark.parametrize("descending", [False, True])
def test_integers_whose_number_the_input_decides_are_sorted(
    descending: bool, tmp_path: Path
) -> None:
    """What they are padded with is behind them, converted to float32 and back too."""

    def places(x: Tensor) -> Tensor:
        return (x > 0).nonzero().sort(0, descending=descending)[0]

    call = compiled(places, NUMBERS, directory=tmp_path)
    for numbers in (NUMBERS, -NUMBERS.abs(), NUMBERS.abs()):
        np.testing.assert_array_equal(call(numbers.numpy()), places(numbers).numpy())
