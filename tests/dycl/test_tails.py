"""Tails of the error function, and lengths, are right to the last digits, small or large."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

INFINITY = float("inf")
X = torch.tensor([0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 3.0, -4.0, 7.9, 8.1, 13.0, -20.0, 1e9, 1e30])
EXTREME = torch.tensor([INFINITY, -INFINITY, float("nan"), 25.0])
FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "erfc": torch.erfc,
    "special.erfc": torch.special.erfc,
    "erfcx": torch.special.erfcx,
    "log_ndtr": torch.special.log_ndtr,
    "ndtr": torch.special.ndtr,
    "length": lambda x: torch.hypot(x, x.flip(0)),
    "length beside one": lambda x: torch.hypot(x, torch.ones_like(x)),
    "sign of a number": lambda x: torch.copysign(x, -2) + torch.copysign(x, 0.0) * 3,
}


@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float32, 4e-6), (torch.float64, 4e-14)])
def test_what_is_small_is_as_small(kind: torch.dtype, tolerance: float, tmp_path: Path) -> None:
    x = torch.cat([X.double(), EXTREME.double()]).to(kind)
    subdnns = [
        capture_function(function, x, name=f"subdnn_{number}")
        for number, function in enumerate(FUNCTIONS.values())
    ]
    calls = calls_of(OnnxRuntimeBackend(), subdnns, tmp_path)
    least = torch.finfo(kind).tiny
    wrong = {}
    for subdnn, (what, function) in zip(subdnns, FUNCTIONS.items(), strict=True):
        found, expected = calls[subdnn.name](x.numpy().copy()), function(x).numpy()
        if not np.allclose(found, expected, rtol=tolerance, atol=least, equal_nan=True):
            wrong[what] = list(zip(x.tolist(), expected.tolist(), found.tolist(), strict=True))
    assert wrong == {}
