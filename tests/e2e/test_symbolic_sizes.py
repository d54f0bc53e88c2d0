"""A model whose inputs vary in length: compiled, called, checked and verified."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim

import dycl
from dycl.cli.main import main

FILE = '''
import torch
from torch import nn


class Reader(nn.Module):
    """Reads tokens; reads again what scores low."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(16, 8)
        self.layer = nn.Linear(8, 8)

    def forward(self, tokens, mask):
        x = self.embedding(tokens) * mask.unsqueeze(-1)
        if x.mean() < 0:
            x = torch.relu(self.layer(x))
        return x.sum(1), tokens.shape[1]


def sample_inputs(count, seed):
    torch.manual_seed(seed)
    lengths = torch.randint(1, 9, (count,)).tolist()
    return [(torch.randint(16, (1, n)), torch.ones(1, n)) for n in lengths]
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "reader.py").write_text(FILE)
    code = main([
        "compile", str(folder / "reader.py"), "--input", "tokens=i64[1,2<=seq<=8]",
        "--input", "mask=f32[1,2<=seq<=8]", "--output", str(folder / "out"), "--no-cache",
    ])  # fmt: skip
    assert code == 0
    return folder


def test_every_length_in_range_is_taken(package: Path) -> None:
    host = dycl.load(package / "out")
    for length in (2, 5, 8):
        tokens, mask = np.zeros((1, length), np.int64), np.ones((1, length), np.float32)
        total, size = host(tokens, mask)
        assert total.shape == (1, 8) and size == length


@pytest.mark.parametrize(("tokens", "mask"), [(9, 9), (1, 1), (4, 5)])
def test_other_lengths_are_refused(package: Path, tokens: int, mask: int) -> None:
    host = dycl.load(package / "out")
    with pytest.raises(ValueError, match=r"with (2 <= seq <= 8|seq = 4, as in tokens), got"):
        host(np.zeros((1, tokens), np.int64), np.ones((1, mask), np.float32))


def test_the_manifest_names_the_sizes(package: Path) -> None:
    manifest = json.loads((package / "out" / "manifest.json").read_text())
    assert manifest["sizes"] == {"seq": {"minimum": 2, "maximum": 8}}
    assert manifest["inputs"][0]["shape"] == [1, "seq"]


def test_verify_draws_lengths_and_finds_margins(package: Path) -> None:
    report = package / "report.json"
    code = main([
        "verify", str(package / "reader.py"), str(package / "out"), "--count", "12",
        "--input", "tokens=i64[1,2<=seq<=8]", "--input", "mask=f32[1,2<=seq<=8]",
        "--json", str(report),
    ])  # fmt: skip
    assert code == 0
    assert json.loads(report.read_text())["margins_inside"]


class Prefix(nn.Module):
    """Cuts at a number that is known only at run time."""

    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        return x[:, :n].sum(1)


def test_numbers_cut_tensors(tmp_path: Path) -> None:
    x = torch.randn(2, 4)
    shapes = {"x": {1: Dim("seq", min=0, max=6)}, "n": None}
    host = dycl.compile(Prefix(), (x, 2), output=tmp_path / "out", dynamic_shapes=shapes)
    for length in range(7):
        x = torch.randn(2, length)
        for n in (-9, -1, 0, 1, 3, 9):
            np.testing.assert_allclose(host(x, n), Prefix()(x, n), rtol=1e-5, atol=1e-6)
