"""``host_mode="ifs"``: a package with one artifact, and the command line's ``--emit onnx``."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import dycl
from dycl.cli.main import main

MODEL = """
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.large = nn.Linear(300, 300)
        self.small = nn.Linear(300, 300)

    def forward(self, x, times: int = 3):
        for _ in range(times):
            x = self.large(x) if x.mean() > 0 else self.small(x)
        return {"x": x, "label": "up" if x.sum() > 0 else "down", "times": times}


def example_inputs():
    return (torch.ones(1, 300), 3)
"""


class Words(nn.Module):
    """Returns texts, numbers and tensors in a dict."""

    def forward(self, x: Tensor, n: int, scale: float) -> dict[str, object]:
        """Count."""
        label = "small"
        for _ in range(n):
            x = x + 1
            if x.sum() * 1.0 > scale:
                label = "large"
                break
        return {"x": x, "label": label, "n": n, "pair": (scale, scale > 2.5)}


def test_a_package_with_one_artifact(tmp_path: Path) -> None:
    """Arguments are checked and results built by the host; all decisions are in the artifact."""
    model = Words()
    compiled = dycl.compile(
        model,
        (torch.ones(2), 3, 4.5),
        output=tmp_path / "words",
        options=dycl.CompileOptions(host_mode="ifs"),
    )
    assert [path.name for path in (tmp_path / "words" / "subdnns").iterdir()] == ["model.onnx"]
    assert [entry["id"] for entry in compiled.manifest["subdnns"]] == ["subdnn_0"]
    for n, scale in ((0, 1.0), (3, 4.5), (3, 100.0), (9, 9.0)):
        expected, actual = model(torch.ones(2), n, scale), compiled(torch.ones(2), n, scale)
        assert (expected["x"].numpy() == actual.pop("x")).all()
        assert {k: v for k, v in expected.items() if k != "x"} == actual
    with pytest.raises(Exception, match="x: expected an array float32"):
        compiled(torch.ones(2, dtype=torch.int64), 1, 1.0)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One file and its weights, each once; a second run replaces it, other directories stay."""
    file = tmp_path / "gate.py"
    file.write_text(MODEL)
    output = tmp_path / "gate_onnx"
    contents = set()
    for _ in range(2):
        assert main(["compile", str(file), "--emit", "onnx", "--output", str(output)]) == 0
        contents.add((output / "model.onnx").read_bytes())
    assert len(contents) == 1, "the same model gives the same file"
    assert sorted(path.name for path in output.iterdir()) == ["model.onnx"]
    assert "result['x'], result['times'], variant of result" in capsys.readouterr().out.replace(
        "\n", " "
    )
    assert main(["compile", str(file), "--emit", "onnx", "--output", str(tmp_path)]) == 2
    assert main(["compile", str(file), "--emit", "onnx", "--tune", "3"]) == 2
    names = {path.name for path in tmp_path.iterdir()} - {"__pycache__"}  # of the user's own file
    assert names == {"gate.py", "gate_onnx"}
