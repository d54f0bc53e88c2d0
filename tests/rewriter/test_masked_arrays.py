"""Programs that change numpy, as ``numpy.bool = bool``, so that ``numpy.ma`` cannot be imported."""

import sys

import numpy
import pytest
import torch

import dycl


def first(x: torch.Tensor) -> float:
    """Read an element of an array."""
    array = x.numpy()
    return float(array[0] + array[1])


def test_elements_of_arrays_need_no_masked_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(numpy, "ma", raising=False)
    monkeypatch.setitem(sys.modules, "numpy.ma", None)  # an import of it fails
    assert "array[0]" in dycl.rewrite(first, (torch.ones(3),)).source
