"""Layers multiplied by a mask of zeros, skipped: packages, from Python and the command line."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.cli.main import main

FILE = """
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        gate = (x.mean(1, keepdim=True) > 0).float()
        return x + self.layers(x) * gate


def build_model():
    torch.manual_seed(0)
    return Gated().eval()


def example_inputs():
    return (torch.zeros(1, 4),)
"""


class Block(nn.Module):
    """A gate inside of a module of the user's."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add what the layers give, or nothing."""
        out: torch.Tensor = self.layers(x) * (x.sum(1, keepdim=True) > 0).to(x.dtype)
        return x + out


class Net(nn.Module):
    """Two of them, in doubles."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = Block().double(), Block().double()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run both."""
        out: torch.Tensor = self.second(self.first(x))
        return out


def pictures() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    rows = [torch.randn(2, 4, generator=generator, dtype=torch.float64) for _ in range(8)]
    special = [
        torch.tensor([[-1.0, -2.0, 0.0, value], [-1.0, -1.0, -1.0, -1.0]], dtype=torch.float64)
        for value in (1e300, -1e300, torch.inf, -torch.inf, torch.nan, 1e38, -0.0)
    ]
    return [*rows, *special]


@pytest.mark.parametrize("host_mode", ["python", "ifs"])
def test_packages_give_what_eager_gives(tmp_path: Path, host_mode: str) -> None:
    torch.manual_seed(1)
    model = Net().eval()
    options = dycl.CompileOptions(masks_to_branches=True, host_mode=host_mode)
    example = (torch.zeros(2, 4, dtype=torch.float64),)
    compiled = dycl.compile(model, example, output=tmp_path / "net_dycl", options=options)
    for x in pictures():
        with torch.no_grad():
            expected = model(x).numpy()
        np.testing.assert_allclose(compiled(x), expected, rtol=1e-9, atol=1e-12)


def test_sizes_of_run_time_keep_the_straight_line(tmp_path: Path) -> None:
    model = Net().eval()
    options = dycl.CompileOptions(masks_to_branches=True)
    compiled = dycl.compile(
        model,
        (torch.zeros(2, 4, dtype=torch.float64),),
        output=tmp_path / "net_dycl",
        dynamic_shapes={"x": {0: torch.export.Dim("count", max=8)}},
        options=options,
    )
    assert compiled.report is not None
    assert compiled.report.branches == 0
    for x in pictures():
        with torch.no_grad():
            np.testing.assert_allclose(compiled(x), model(x).numpy(), rtol=1e-9, atol=1e-12)


def test_switch_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gated.py"
    file.write_text(FILE)
    for switches, branches in ([], 0), (["--masks-to-branches"], 1):
        output = tmp_path / f"gated_{branches}_dycl"
        arguments = ["compile", str(file), "--output", str(output), *switches]
        assert main(arguments) == 0
        assert f"{branches} branches" in capsys.readouterr().out
