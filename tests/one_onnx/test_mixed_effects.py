"""Mixed packages beside what Python does: printing, state, large integers, weights."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import dycl

IFS = dycl.CompileOptions(host_mode="ifs")


class Talking(nn.Module):
    """Says what it does, keeps what it found, and writes into its argument."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Tensor
        self.register_buffer("last", torch.zeros(4))

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        """Look up some places of what was found last."""
        print("begin")
        y = x.cumsum(0) + self.last if x.sum() > self.last.sum() else x - self.last
        self.last = y * 1.0
        found: Tensor = y[places] if y.max() > 2 else y[places] * 2
        x += 1
        print("end")
        return found.relu()


def test_what_host_code_does_is_done_once_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing at compile time: not on the console, not to the arguments, not to what is kept."""
    model, example = Talking(), (torch.ones(4), torch.tensor([1, 3]))
    compiled = dycl.compile(model, example, output=tmp_path / "talking", options=IFS)
    assert len([e for e in compiled.manifest["subdnns"] if "decisions" in e]) >= 1
    assert capsys.readouterr().out == ""
    assert example[0].tolist() == [1.0] * 4
    for seed in range(6):
        x = torch.randn(4, generator=torch.Generator().manual_seed(seed))
        places = torch.tensor([seed % 4, 2])
        given, expected = x.numpy().copy(), model(x, places).numpy()
        said = capsys.readouterr().out
        assert np.allclose(compiled(given, places.numpy()), expected, atol=1e-6)
        assert np.allclose(given, x.numpy())
        assert capsys.readouterr().out == said == "begin\nend\n"


def test_an_operator_that_fails_raises_what_pytorch_raises(tmp_path: Path) -> None:
    """Inside of an If as outside."""
    compiled = dycl.compile(
        Talking(), (torch.ones(4), torch.tensor([1, 3])), output=tmp_path / "talking", options=IFS
    )
    for model in (Talking(), compiled):
        with pytest.raises(IndexError):
            model(torch.ones(4), torch.tensor([1, 9]))


class Counting(nn.Module):
    """Python's integers have no bounds; those of a file have 64 bits."""

    def forward(self, x: Tensor, n: int) -> tuple[Tensor, int, int]:
        """Compute with a number that may be large, with its rest, and with a length."""
        large = n * n
        rest = large % 7
        found: list[int] = []
        while len(found) < rest:
            found.append(n)
        count = len(found) + 1
        while x.sum() < rest:
            x = x + 1 if x.max() < count else x + 2
            rest -= 1
        return x, large, rest


def test_integers_of_any_size_stay_in_python(tmp_path: Path) -> None:
    """What is computed from them goes into a region only where it certainly fits."""
    model, x = Counting(), torch.full((2,), -1.5)
    compiled = dycl.compile(model, (x, 3), output=tmp_path / "counting", options=IFS)
    (region,) = (entry for entry in compiled.manifest["subdnns"] if "decisions" in entry)
    assert {port["name"] for port in region["inputs"]} == {"x", "rest", "_tensor"}
    for n in (3, 2, 2**40, 2**62 - 1, -(2**61)):
        expected, *numbers = model(x, n)
        actual, *found = compiled(x, n)
        assert found == numbers
        assert np.array_equal(actual, expected.numpy())


class Plain(nn.Module):
    """Nothing to lower: no way runs tensor code twice."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        """Say what the answer is."""
        x = self.linear(x)
        print("large" if x.sum() > 0 else "small")
        return x


def test_without_regions_it_is_a_package_as_ever(tmp_path: Path) -> None:
    """Byte for byte; the report says why."""
    torch.manual_seed(0)
    model, x = Plain(), torch.ones(1, 2)
    mixed = dycl.compile(model, (x,), output=tmp_path / "a" / "plain", options=IFS)
    usual = dycl.compile(model, (x,), output=tmp_path / "b" / "plain")
    assert mixed.report is not None
    assert "no branch or loop could be lowered to ONNX: test_mixed_effects.py:" in str(mixed.report)
    for path in usual.path.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.read_bytes() == (mixed.path / path.relative_to(usual.path)).read_bytes()


class Large(nn.Module):
    """A large layer before a printed line and in both arms behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(600, 600)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it twice."""
        x = self.layer(x)
        print("between")
        x = self.layer(x).relu() if x.sum() > 0 else self.layer(x).tanh()
        if x.max() > 1:
            x = x / x.max()
        return x


def test_weights_are_stored_once(tmp_path: Path) -> None:
    """Those of sub-DNNs and of regions stand in one file."""
    output = tmp_path / "large"
    dycl.compile(Large(), (torch.ones(1, 600),), output=output, options=IFS)
    sizes = {path.name: path.stat().st_size for path in (output / "subdnns").iterdir()}
    assert 600 * 600 * 4 <= sizes.pop("weights.bin") < 600 * 600 * 4 + 20_000
    assert len(sizes) == 2
    assert max(sizes.values()) < 20_000
