"""The command line over the real pipeline, on a model small enough to compile in a test."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dycl.cli.compile import default_output
from dycl.cli.main import main

HALVING = '''
import torch
from torch import nn


class Halving(nn.Module):
    """Halves its input until it is small; how often depends on the input."""

    def __init__(self, steps=3):
        super().__init__()
        self.steps = steps
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        x = self.layer(x)
        for step in range(self.steps):
            if x.abs().max().item() < 1.0:
                return x, step
            x = x / 2
        return x, self.steps


def example_inputs():
    return (torch.ones(1, 8),)


def sample_inputs(count, seed):
    torch.manual_seed(seed)
    return [(torch.randn(1, 8) * 4 ** (i % 4),) for i in range(count)]
'''
WITHOUT_PYTORCH = """
import sys
for name in ("torch", "libcst", "onnx", "onnxscript"):
    sys.modules[name] = None
from dycl.cli.compile import default_output
from dycl.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    paths, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        if name == "halving" or name.startswith("_dycl_host_"):
            del sys.modules[name]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "halving.py"
    file.write_text(HALVING)
    return file


@pytest.fixture(scope="module")
def host(model: Path) -> Path:
    """Compile once, with a cache of its own."""
    directory = model.parent / "halving_dycl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DYCL_CACHE_DIR", str(model.parent / "cache"))
        assert main(["compile", str(model), "--output", str(directory)]) == 0
    return directory


def test_host_agrees_where_the_trace_does_not(
    model: Path, host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", str(model), str(host), "--count", "40", "--baseline", "trace"]
    assert main([*arguments, "--json", str(report)]) == 0, capsys.readouterr().out
    content = json.loads(report.read_text())
    assert content["host"]["inconsistent_rate"] == 0
    assert content["baseline"]["correctness"]["inconsistent_rate"] > 0.3
    branches = content["coverage"]["branches"]
    assert len(branches) == 3
    for branch in branches:
        assert branch["taken_true"] > 0
        assert branch["taken_false"] > 0
        assert branch["smallest_margin"] > 0
        assert branch["source"].startswith("halving.py:")
    assert all(subdnn["runs"] > 0 for subdnn in content["coverage"]["subdnns"])


def test_other_weights_are_found_out(
    host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "halving.py"
    other.write_text(
        HALVING + "\ndef build_model():\n    torch.manual_seed(7)\n    return Halving()"
    )
    assert main(["verify", str(other), str(host), "--count", "10"]) == 1
    assert "the host differs from the original" in capsys.readouterr().out


def test_bench_on_the_real_host(
    model: Path, host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", str(model), str(host), "--count", "4", "--rounds", "1"]) == 0
    assert "trace (wrong for" in capsys.readouterr().out


def test_run_works_without_pytorch(host: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.full((1, 8), 9, np.float32))
    command = [sys.executable, "-c", WITHOUT_PYTORCH, "run", str(host)]
    command += ["--input", str(tmp_path / "x.npy"), "--path"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "output[0]: float32[1, 8]" in done.stdout
    assert "-> False  # halving.py:" in done.stdout


def test_run_with_a_wrong_array_names_the_argument(
    host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", np.ones((1, 9), np.float32))
    assert main(["run", str(host), "--input", str(tmp_path / "x.npy")]) == 2
    text = capsys.readouterr().err
    assert text.startswith("error: x")
    assert "Traceback" not in text


@pytest.mark.parametrize("ending", ["svg", "html", "dot", "json"])
def test_graph(model: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"halving.{ending}"
    assert main(["graph", str(model), "-o", str(file)]) == 0
    assert "halving.py" in file.read_text()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("zoo/skipnet.py", "skipnet_dycl"),
        ("zoo/skipnet.py:build_skipnet74", "skipnet74_dycl"),
        ("zoo/skipnet.py:SkipNet", "skipnet_dycl"),
        ("my-net.v2.py", "my_net_v2_dycl"),
    ],
)
def test_output_is_named_after_the_target(target: str, expected: str) -> None:
    assert default_output(target) == expected


def test_rewrite_prints_the_program(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", str(model)]) == 0
    text = capsys.readouterr().out
    assert text.count("if ") == 3
    assert "for " not in text.partition("def forward")[2]
    compile(text, "rewritten.py", "exec")


def test_someone_elses_directory_is_not_replaced(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    assert main(["compile", str(model), "--output", str(tmp_path / "thesis")]) == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "thesis" / "chapter.txt").exists()


@pytest.mark.parametrize("command", [["run"], ["verify", "MODEL"], ["bench", "MODEL"]])
def test_directory_that_is_no_host_package(
    command: list[str], model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(model) if word == "MODEL" else word for word in command]
    assert main([*arguments, str(tmp_path)]) == 2
    assert "is not a host package" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (["--backend", "glow"], "there is no backend called 'glow'"),
        (["--without-pass", "magic"], "no pass is called 'magic'"),
        (["--device", "abacus"], "abacus"),
    ],
)
def test_unknown_names_of_the_compiler(
    option: list[str],
    expected: str,
    model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "out"
    assert main(["compile", str(model), "--output", str(output), *option]) == 2
    assert expected in capsys.readouterr().err
    assert not output.exists()
