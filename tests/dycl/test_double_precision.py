"""Numbers of Python stand in double precision beside doubles, not rounded to single precision."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

X = torch.linspace(-1.0, 2.0, 6, dtype=torch.float64)

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda x: x + 0.1,
    "difference": lambda x: 0.1 - x,
    "product": lambda x: x * 1.1,
    "quotient": lambda x: x / 0.3,
    "floor division": lambda x: x // 0.3,
    "remainder": lambda x: x % 0.7,
    "bounds": lambda x: x.clamp(-0.1, 0.3),
    "lower bound": lambda x: x.clamp(min=0.1),
    "choice": lambda x: torch.where(x > 0.1, x, 0.1),
    "filled": lambda x: x.masked_fill(x > 0, 0.1),
    "tensor of one number": lambda x: x + torch.full((6,), 0.1, dtype=torch.float64),
    "like another": lambda x: x + torch.full_like(x, 0.1),
    "weighted": lambda x: torch.add(x, x, alpha=0.1),
    "between": lambda x: torch.lerp(x, x * 2, 0.3),
    "power": lambda x: (x.abs() + 1) ** 0.3,
    "scaled product of matrices": lambda x: (x.view(2, 3).T @ x.view(2, 3)) * 0.1,
    "product of scaled matrices": lambda x: (x.view(2, 3) / 0.3) @ (0.7 * x.view(2, 3)).T,
    "layer normalization": lambda x: F.layer_norm(x.view(2, 3), (3,), x[:3], x[3:], eps=0.1),
    "normalization of groups": lambda x: F.group_norm(x.view(1, 2, 3), 2, x[:2], x[3:5], eps=0.1),
    "normalization of instances": lambda x: F.instance_norm(x.view(1, 2, 3), eps=0.1),
    "normalization by known statistics": lambda x: F.batch_norm(
        x.view(2, 3), x[:3], x[3:] + 1, x[1:4], eps=0.1
    ),
    "normalization of a batch": lambda x: F.batch_norm(
        x.view(2, 1, 3), None, None, training=True, eps=0.1
    ),
    "cast": lambda x: x.float().double() * 1.1,
}


@pytest.mark.parametrize("name", ["onnxruntime", "tvm"])
def test_numbers_keep_their_precision(name: str, tmp_path: Path) -> None:
    backend = create_backend(name)
    if not backend.available().available:
        pytest.skip(f"{name} is not installed")
    subdnns = [
        capture_function(function, X, name=f"subdnn_{number}")
        for number, function in enumerate(FUNCTIONS.values())
    ]
    calls = calls_of(backend, subdnns, tmp_path)
    wrong = []
    for subdnn, (what, function) in zip(subdnns, FUNCTIONS.items(), strict=True):
        found = calls[subdnn.name](X.numpy())
        if not np.allclose(found, function(X).numpy(), rtol=1e-14, atol=1e-15):
            wrong.append(what)
    assert wrong == []
