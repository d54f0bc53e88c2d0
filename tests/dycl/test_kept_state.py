"""The state of a host package: seen by name, reset, one per loaded package, safe from threads."""

import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dycl


class Counting(nn.Module):
    """Counts its calls and keeps a sum; shows what it saw last."""

    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.ones(2))

    def forward(self, x: torch.Tensor) -> tuple[int, torch.Tensor]:
        """Add to both."""
        self.calls += 1
        self.total.add_(x)
        self.last = x * 2
        return self.calls, self.total * 1


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("packages") / "counting_dycl"
    dycl.compile(Counting().eval(), (torch.zeros(2),), output=str(output))
    return output


def test_the_state_is_seen_and_reset(package: Path) -> None:
    model = dycl.load(package)
    for count in (1, 2):
        calls, total = model(np.ones(2, np.float32))
        assert calls == count
        np.testing.assert_array_equal(total, np.full(2, 1 + count, np.float32))
    assert model.state["calls"] == 2
    np.testing.assert_array_equal(model.state["last"], np.full(2, 2, np.float32))
    model.reset()
    assert model.state["calls"] == 0
    assert model(np.ones(2, np.float32))[0] == 1


def test_a_package_that_is_loaded_again_has_its_own_state(package: Path) -> None:
    one, two = dycl.load(package), dycl.load(package)
    one(np.ones(2, np.float32))
    assert (one.state["calls"], two.state["calls"]) == (1, 0)


def test_calls_of_many_threads_do_not_tear_the_state(package: Path) -> None:
    model = dycl.load(package)
    with ThreadPoolExecutor(4) as pool:
        counts = [c for c, _ in pool.map(model, [np.ones(2, np.float32)] * 200)]
    assert sorted(counts) == list(range(1, 201))
    np.testing.assert_array_equal(model.state["total"], np.full(2, 201, np.float32))


def test_compiling_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    model = Counting().eval()
    dycl.compile(model, (torch.ones(2),), output=str(tmp_path / "counting_dycl"))
    assert model.calls == 0 and not hasattr(model, "last")
    assert torch.equal(model.total, torch.ones(2))


def test_verify_starts_both_from_the_same_state(tmp_path: Path) -> None:
    model = Counting().eval()
    compiled = dycl.compile(model, (torch.ones(2),), output=str(tmp_path / "counting_dycl"))
    compiled(torch.ones(2))
    before = copy.deepcopy(model.state_dict())
    report = dycl.verify(model, compiled, [(torch.full((2,), float(i)),) for i in range(4)])
    assert all(sample.consistent and not sample.mismatches for sample in report.host.samples)
    assert torch.equal(model.total, before["total"])


class Watched(nn.Linear):
    """A layer of torch's with a weight that each call computes, and what nobody reads."""

    def __init__(self) -> None:
        super().__init__(2, 2)
        del self._parameters["weight"]
        self.weight = torch.eye(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Store both, and run torch's own code."""
        self.weight = torch.eye(2) * x.sum()
        self.largest = x.max()
        return super().forward(x)


def test_what_torch_reads_of_a_layer_is_seen_too(tmp_path: Path) -> None:
    eager = Watched().eval()
    model = dycl.compile(eager, (torch.ones(2),), output=str(tmp_path / "watched_dycl"))
    x = torch.tensor([3.0, -1.0])
    np.testing.assert_allclose(model(x.numpy()), eager(x).detach().numpy(), rtol=1e-6)
    np.testing.assert_array_equal(model.state["weight"], np.eye(2, dtype=np.float32) * 2)
    assert model.state["largest"] == 3
