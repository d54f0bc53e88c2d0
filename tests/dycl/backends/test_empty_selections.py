"""What a sub-DNN does where a mask chooses nothing is compared, too."""

from collections.abc import Callable

import numpy as np
import torch

from dycl.backends.checking import difference_of
from dycl.backends.empty_selections import may_choose_nothing
from dycl.testing.subdnns import capture_function

X = torch.tensor([0.5, -1.0, 2.0])
MASK = torch.tensor([True, False, True])


def mean_of_chosen(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return NaN where nothing is chosen."""
    return x[mask].mean()


def _without_nan(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.asarray(x[mask].mean() if mask.any() else 0.0, np.float32)


def _right(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.asarray(x[mask].mean() if mask.any() else np.nan, np.float32)


def _raising(x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    if not mask.any():
        raise FloatingPointError("NaN comes up")
    return _right(x, mask)


def test_a_difference_where_nothing_is_chosen_is_found() -> None:
    subdnn = capture_function(mean_of_chosen, X, MASK)
    difference = difference_of(subdnn, _without_nan)
    assert difference is not None and "(where nothing is chosen)" in difference
    assert difference_of(subdnn, _right) is None
    assert difference_of(subdnn, _raising) is None


def test_positive_and_negative_numbers_choose_nothing_alike() -> None:
    for function in (lambda x: x[x > 0].mean(), lambda x: x[x < 0].mean()):
        subdnn = capture_function(function, X)

        def compiled(x: np.ndarray, function: Callable[..., torch.Tensor] = function) -> np.ndarray:
            return np.asarray(np.nan_to_num(function(torch.tensor(x)).numpy()))

        assert "nothing is chosen" in str(difference_of(subdnn, compiled))


def test_only_what_is_chosen_by_content_may_be_nothing() -> None:
    assert may_choose_nothing(capture_function(mean_of_chosen, X, MASK))
    assert may_choose_nothing(capture_function(lambda x: (x > 0).nonzero(), X))
    assert not may_choose_nothing(capture_function(lambda x, mask: x * mask, X, MASK))
    assert not may_choose_nothing(capture_function(lambda x: x[[0, 2]], X))
