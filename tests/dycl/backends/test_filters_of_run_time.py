"""Convolutions whose filters and channels are counted at run time, on each backend."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from rewriter.program import SymbolRange
from tests.dycl.symbolic import capture_symbolic, floats

AT_LEAST_ONE = {"f": SymbolRange(minimum=1), "c": SymbolRange(minimum=0)}
PLACES: dict[str, Any] = {
    "plain": ({}, (2, 3), (4, 3)),
    "strided": ({"stride": (2, 1), "padding": (1, 2)}, (3, 3), (3, 7)),
    "dilated": ({"dilation": 2, "padding": 1}, (2, 3), (5, 3)),
}


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino", "tvm"])
def test_any_number_of_filters_and_channels(backend: str, places: str, tmp_path: Path) -> None:
    options, kernel, found = PLACES[places]

    def function(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return F.conv2d(x, weight, bias, **options)

    inputs = {"x": floats(2, "c", 5, 5), "weight": floats("f", "c", *kernel), "bias": floats("f")}
    subdnn = capture_symbolic(function, inputs, floats(2, "f", *found), symbols=AT_LEAST_ONE)
    call = calls_of(create_backend(backend), [subdnn], tmp_path)[subdnn.name]
    torch.manual_seed(0)
    for filters, channels in ((1, 1), (3, 2), (2, 0), (7, 5)):
        given = (
            torch.randn(2, channels, 5, 5),
            torch.randn(filters, channels, *kernel),
            torch.randn(filters),
        )
        got = call(*(x.numpy() for x in given))
        wanted = function(*given).numpy()
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
