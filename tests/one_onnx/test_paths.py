"""How paths part and meet: many exits, functions, loops that are left in several places."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor, nn

import dycl
from tests.one_onnx.plain_runtime import OneFile


class ManyExits(nn.Module):
    """Forty exits, deeper than ONNX files can be nested."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(40))

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        """Leave at the first layer whose output is large."""
        for index, layer in enumerate(self.layers):
            x = torch.tanh(layer(x)) + 0.25
            if x.sum() > 3:
                return x, index
        return x, -1


class Grid(nn.Module):
    """Two loops, one in the other, left by break, continue and return."""

    def forward(self, x: Tensor, bound: Tensor) -> tuple[Tensor, int, str]:
        """Walk until something happens."""
        steps = 0
        while x.sum() < bound:
            x = x + 1
            steps += 1
            while x.max() < 6:
                x = x * 2
                steps += 1
                if x.min() < -8:
                    return x, steps, "far"
                if x.sum() > 20:
                    break
            if x.min() < 0:
                continue
            if x[0] > 40:
                break
            x = x + 0.5
        else:
            return x, steps, "done"
        return x - 1, steps, "large"


class Twice(nn.Module):
    """A function with many tests that is called twice: one function of the program."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def settle(self, x: Tensor) -> Tensor:
        """Test in many ways."""
        for scale in (1.0, 0.5, 0.25, 2.0, 0.75, 1.5, 0.3, 0.6, 0.9):
            if (x * scale).sum() > 1:
                x = x - scale
        return x

    def forward(self, x: Tensor) -> Tensor:
        """Settle, compute, settle."""
        return self.settle(self.linear(self.settle(x)))


INPUTS: dict[type[nn.Module], list[tuple[Tensor, ...]]] = {
    ManyExits: [(torch.randn(4) * (0.2 + seed),) for seed in range(20)],
    Grid: [
        (torch.tensor(start), torch.tensor(bound))
        for start in ([1.0, 1.0], [-9.0, 2.0], [30.0, 5.0], [-0.5, 0.1], [0.0, 7.0])
        for bound in (-5.0, 10.0, 50.0, 90.0)
    ],
    Twice: [(torch.randn(3) * 3,) for _ in range(20)],
}


@pytest.mark.parametrize("kind", INPUTS, ids=lambda kind: kind.__name__)
def test_paths(kind: Callable[[], nn.Module], tmp_path: Path) -> None:
    """Every input takes its own path, with equal results."""
    torch.manual_seed(0)
    model = kind().eval()
    inputs = INPUTS[kind]  # type: ignore[index]
    dycl.emit_onnx(model, inputs[0], output=tmp_path / "one")
    file = OneFile(tmp_path / "one", model.forward)
    for given in inputs:
        with torch.no_grad():
            expected: Any = model(*given)
        actual = file(*(tensor.numpy() for tensor in given))
        pairs = zip(
            *((r if isinstance(r, tuple) else (r,)) for r in (expected, actual)), strict=True
        )
        for one, other in pairs:
            if isinstance(one, Tensor):
                torch.testing.assert_close(one, torch.from_numpy(other))
            else:
                assert (type(one), one) == (type(other), other)


def test_depth_is_bounded(tmp_path: Path) -> None:
    """However many exits there are, every reader of ONNX files can read the file."""
    dycl.emit_onnx(ManyExits().eval(), (torch.randn(4),), output=tmp_path / "one")
    model = onnx.load(tmp_path / "one" / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert _depth(model.graph) <= 16


def _depth(graph: onnx.GraphProto) -> int:
    inner = [a.g for n in graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    return 1 + max(map(_depth, inner), default=0)
