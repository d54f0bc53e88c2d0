"""Arrays made of numbers on the host: the values and errors of ``torch.tensor``."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
import torch

from codegen_host.embedded._tensors import cat_tensors, make_tensor, stack_tensors

INTEGERS = (0, 1, -1, -129, 127, 128, -255, -256, 255, 256, 2**31, 2**62)
LARGE = (2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**70, 10**400)
FLOATS = (1.5, -0.5, 127.5, -128.5, 255.7, 65520.0, 70000.0, 1e19, -1e19, 1e300, -0.0)
SPECIAL = (9.2233720368547758e18, 3.4028235677973366e38, math.inf, -math.inf, math.nan)
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")


TOO_LARGE = (-(2**63) - 1, 2**70, 10**400)


def outcome(make: Any) -> object:
    """Return what was made, or the error, in a form that compares ``nan`` and ``-0.0``."""
    try:
        made = make()
    except (RuntimeError, ValueError, OverflowError) as error:
        return type(error).__name__, str(error)
    return repr(made.tolist()), str(made.dtype).removeprefix("torch."), tuple(made.shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_become_what_torch_makes_of_them(dtype: str) -> None:
    wrong = []
    for value in (*INTEGERS, *LARGE, *FLOATS, *SPECIAL, True, False):
        is_lone = not (value in TOO_LARGE and dtype.startswith("float"))
        for nest in (*[value] * is_lone, [value, 1], [[value], (2,)]):
            expected = outcome(lambda n=nest: torch.tensor(n, dtype=getattr(torch, dtype)))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = outcome(lambda n=nest: make_tensor(n, dtype))
            if found != expected:
                wrong.append((nest, expected, found))
    assert wrong == []


@pytest.mark.parametrize("number", [*INTEGERS, *LARGE])
def test_integers_that_tensors_of_floats_meet_have_64_bits(number: int) -> None:
    expected = outcome(lambda: torch.zeros((), dtype=torch.float64) + number)
    assert outcome(lambda: make_tensor(number, "float64")) == expected


def test_empty_nests_keep_their_shape() -> None:
    assert make_tensor([[], []], "int64").shape == (2, 0)
    assert make_tensor((), "float32").shape == (0,)


def test_arrays_that_are_joined_lie_row_by_row_as_tensors_do() -> None:
    for first in (np.arange(6.0).reshape(2, 3).T, np.zeros((2, 0), np.float32), np.ones((3, 1))):
        arrays = [first, first + 1, first * 2]
        tensors = [torch.from_numpy(array) for array in arrays]
        pairs = [(stack_tensors(arrays, d), torch.stack(tensors, d)) for d in range(3)]
        pairs += [(cat_tensors(tuple(arrays), d), torch.cat(tensors, d)) for d in range(2)]
        for found, expected in pairs:
            assert found.flags.c_contiguous and found.dtype == first.dtype
            assert np.array_equal(found, expected.numpy())
    assert stack_tensors([np.array(1), np.array(2)], 0).tolist() == [1, 2]
