"""Torch inductor ahead of time: weights beside the code, bound to this CPU and this PyTorch."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from dycl.backends import BackendOptions, create_backend
from dycl.backends.running import load_artifact
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler"),
]

X = torch.randn(2, 8, generator=torch.Generator().manual_seed(0))


class Listed(nn.Module):
    """Computes with the weight that it has in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 5))
        self.listed = [self.weight]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.listed[0]


@pytest.mark.parametrize("make", [lambda: nn.Linear(8, 5), Listed])
def test_structure_is_compiled_once_and_weights_are_each_their_own(
    make: Callable[[], nn.Module], tmp_path: Path
) -> None:
    layers = [make(), make()]
    backend = create_backend("inductor")
    subdnns = [
        capture_function(layer, X, name=f"subdnn_{number}") for number, layer in enumerate(layers)
    ]
    artifacts = compile_alone(backend, subdnns, tmp_path)
    assert {artifact.file for artifact in artifacts} == {"subdnn_0.pt2"}
    for layer, subdnn, artifact in zip(layers, subdnns, artifacts, strict=True):
        call = load_artifact(backend, subdnn, artifact, tmp_path)
        with torch.no_grad():
            expected = layer(X).numpy()
        np.testing.assert_allclose(call(X.numpy()), expected, rtol=1e-5, atol=1e-6)
        # in another order in memory
        np.testing.assert_allclose(call(np.asfortranarray(X.numpy())), expected, atol=1e-6)


def test_results_share_memory_with_nothing(tmp_path: Path) -> None:
    held = torch.ones(3)
    backend = create_backend("inductor")
    subdnn = capture_function(lambda x: (x.view(-1), x[0], held * 1, x + held.sum()), X)
    [artifact] = compile_alone(backend, [subdnn], tmp_path)
    call = load_artifact(backend, subdnn, artifact, tmp_path)
    given = X.numpy().copy()
    for result in call(given):
        result[...] = 7
    np.testing.assert_array_equal(given, X.numpy())
    np.testing.assert_array_equal(call(given)[2], [1, 1, 1])


def test_index_out_of_range_raises_as_in_pytorch(tmp_path: Path) -> None:
    index = torch.tensor([1, 0])
    backend = create_backend("inductor")
    subdnn = capture_function(lambda x, i: x[i], X, index)
    [artifact] = compile_alone(backend, [subdnn], tmp_path)
    call = load_artifact(backend, subdnn, artifact, tmp_path)
    np.testing.assert_array_equal(call(X.numpy(), index.numpy()), X[index].numpy())
    with pytest.raises(IndexError):
        call(X.numpy(), np.array([5, 0]))


def _places(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        functional.max_pool1d(x[0, 0], 2, return_indices=True)[1],
        functional.max_pool2d(x[0], 2, return_indices=True)[1],
        functional.max_pool3d(x, 2, return_indices=True)[1],
        functional.adaptive_max_pool2d(x, 3, return_indices=True)[1],
    )


def test_pooling_tells_the_places_that_pytorch_tells_among_nans(tmp_path: Path) -> None:
    x = torch.full((1, 2, 4, 4), torch.nan)
    backend = create_backend("inductor")
    subdnn = capture_function(_places, x)
    [artifact] = compile_alone(backend, [subdnn], tmp_path)
    results = load_artifact(backend, subdnn, artifact, tmp_path)(x.numpy())
    for result, expected in zip(results, _places(x), strict=True):
        np.testing.assert_array_equal(result, expected.numpy())


def test_it_says_that_its_packages_need_torch() -> None:
    backend = create_backend("inductor")
    assert backend.runtime_packages == ("torch",)
    found = backend.available()
    assert found.available and "need torch at run time" in " ".join(found.notes)
    assert backend.machine() is not None
    assert not create_backend("inductor", BackendOptions(device="cuda")).available().available
