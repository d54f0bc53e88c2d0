"""Convolutions with a run-time number of channels whose result has other sizes without any."""

from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from torch import nn

import dycl


class ByScore(nn.Module):
    """Keeps the channels that matter most; without any PyTorch's result has no channels either."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 4, 1, 1))

    def forward(self, x: torch.Tensor, count: int) -> torch.Tensor:
        """Return what the kept channels say."""
        kept = x.abs().mean(dim=(0, 2, 3)).topk(count)[1]
        return F.conv2d(x[:, kept], self.weight[:, kept])


def test_a_size_that_a_test_of_the_host_tells_is_known_behind_it(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = ByScore().eval()
    host = dycl.compile(model, (torch.ones(1, 4, 5, 5), 2), output=tmp_path / "by_score")
    for count in range(5):
        x = torch.randn(1, 4, 5, 5)
        with torch.no_grad():
            wanted = model(x, count).numpy()
        found = host(x.numpy(), count)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


class OrNothing(nn.Module):
    """Leaves before the convolution where no channel matters."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 4, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the channels that matter say, or the image."""
        (kept,) = (x.mean(dim=(0, 2, 3)) > 0).nonzero(as_tuple=True)
        if kept.numel() == 0:
            return x
        return F.conv2d(x[:, kept], self.weight[:, kept])


def test_nothing_is_ready_for_sizes_that_left_before(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = OrNothing().eval()
    host = dycl.compile(model, (torch.ones(1, 4, 5, 5),), output=tmp_path / "or_nothing")
    for shift in (-3, 0, 3):
        x = torch.randn(1, 4, 5, 5) + shift
        with torch.no_grad():
            wanted = model(x).numpy()
        np.testing.assert_allclose(host(x.numpy()), wanted, 1e-5, 1e-6)
    graphs = [onnx.load(path) for path in (tmp_path / "or_nothing").rglob("*.onnx")]
    operators = {node.op_type for graph in graphs for node in graph.graph.node}
    assert "Conv" in operators
    assert "If" not in operators
