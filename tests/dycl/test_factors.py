"""Factors of small matrices: where LAPACK's answer depends on how it goes about it, an error."""

import pytest
import torch

from dycl.capture.factors import cholesky, cholesky_and_place


def test_infinite_numbers_are_not_judged() -> None:
    matrix = torch.eye(3)
    matrix[1, 1] = torch.inf
    with pytest.raises(RuntimeError, match="out of bounds"):
        cholesky(matrix)
    with pytest.raises(RuntimeError, match="out of bounds"):
        cholesky_and_place(matrix)
