"""The command line: exit codes, help, and what bad input is told."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import dycl
from dycl.cli.main import main
from rewriter.diagnostics import CompileError, Diagnostic
from tests.dycl.fake_host import FakeHost, RaisingHost

COMMANDS = ("compile", "rewrite", "graph", "verify", "bench", "run", "backends")
NEED_A_MODEL = (["compile"], ["rewrite"], ["graph", "-o", "g.svg"])
GATED = """
import torch
from tests.dycl.fake_host import Gated, both_ways

def build_model():
    return Gated()

def example_inputs():
    return both_ways()[0]

def sample_inputs(count, seed):
    return (both_ways() * count)[:count]
"""


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    paths, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def gated(tmp_path: Path) -> str:
    file = tmp_path / "gated.py"
    file.write_text(GATED)
    return str(file)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    fake = FakeHost()
    monkeypatch.setitem(vars(dycl), "load", lambda directory: fake)
    return fake


def write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "net.py"
    file.write_text(dedent(text))
    return str(file)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"Example: dycl {command}" in text
    assert "\x1b" not in text


def test_commands_are_listed_in_the_order_of_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    places = [text.index(f" {command} ", text.index("Commands")) for command in COMMANDS]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["complie"],
        ["compile"],
        ["compile", "a.py", "--jobs", "0"],
        ["compile", "a.py", "--no-such-option"],
        ["graph", "a.py"],
        ["verify", "a.py"],
        ["verify", "a.py", "host", "--count", "0"],
        ["verify", "a.py", "host", "--baseline", "script"],
        ["run"],
    ],
)
def test_wrong_usage_is_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert "Usage" in captured.out + captured.err


@pytest.mark.parametrize("command", NEED_A_MODEL)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("import", "net.py is not a Python file"),
        ("x = 1", "defines no model"),
        (
            "from torch import nn\nclass A(nn.Module): pass\nclass B(nn.Module): pass",
            "defines several models: A, B",
        ),
        (
            "from torch import nn\nclass A(nn.Module):\n  def __init__(self, n): pass",
            "it needs n",
        ),
        (
            "from torch import nn\nclass A(nn.Module):\n  def forward(self, x): return x",
            "no example inputs",
        ),
        (
            "from torch import nn\nclass A(nn.Module):\n  def forward(self, x): return x.nope\n"
            "def example_inputs(): return (nn.Parameter(),)",
            "fails on the example inputs in plain PyTorch",
        ),
    ],
)
def test_bad_model_is_exit_code_2(
    command: list[str],
    body: str,
    expected: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name, *rest = command
    assert main([name, write(tmp_path, body), *rest]) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("command", [*NEED_A_MODEL, ["verify", "host"], ["bench", "host"]])
def test_missing_file_is_exit_code_2(
    command: list[str], tmp_path: Path, host: FakeHost, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *rest = command
    assert main([name, str(tmp_path / "no.py"), *rest]) == 2
    assert "no.py does not exist; expected a Python file" in capsys.readouterr().err


def test_unknown_method_and_missing_weights(
    gated: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", gated, "--method", "generate"]) == 2
    assert "Gated has no method 'generate'" in capsys.readouterr().err
    assert main(["compile", gated, "--weights", str(tmp_path / "w.safetensors")]) == 2
    assert "w.safetensors does not exist" in capsys.readouterr().err


def test_bad_input_spec(gated: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", gated, "--input", "f32[1,"]) == 2
    assert "cannot read the input spec 'f32[1,'" in capsys.readouterr().err


def test_refusal_is_exit_code_1_with_every_diagnostic(
    gated: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: object, **kwargs: object) -> object:
        reasons = [Diagnostic(code=c, message="no", origin=None) for c in ("X1", "X2")]
        raise CompileError(reasons)

    monkeypatch.setitem(vars(dycl), "rewrite", refuse)
    assert main(["rewrite", gated]) == 1
    text = capsys.readouterr().err
    assert "X1: no" in text
    assert "X2: no" in text
    assert "2 errors" in text


def test_bug_of_ours_is_exit_code_3_and_says_so(
    gated: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*args: object, **kwargs: object) -> object:
        raise KeyError("x_3")

    monkeypatch.setitem(vars(dycl), "rewrite", break_down)
    assert main(["rewrite", gated]) == 3
    assert "This is a bug in dycl, not in your program" in capsys.readouterr().err


def test_disk_full_is_told_in_a_line(
    gated: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*args: object, **kwargs: object) -> object:
        raise OSError(28, "No space left on device", "/tmp/out")

    monkeypatch.setitem(vars(dycl), "rewrite", fill)
    assert main(["rewrite", gated]) == 2
    assert capsys.readouterr().err == "error: No space left on device: /tmp/out\n"


def test_unknown_graph_format(gated: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", gated, "-o", "g.bmp"]) == 2
    assert "expected one of .svg, .html, .dot, .json" in capsys.readouterr().err


def test_verify_passes(
    gated: str, host: FakeHost, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ["verify", gated, "host", "--count", "6", "--baseline", "trace"]
    assert main([*arguments, "--json", str(report)]) == 0
    text = capsys.readouterr().out
    assert "does what the original does on 6 inputs (sample_inputs())" in text
    assert "33.3% (2)" in text
    assert "\x1b" not in text
    assert json.loads(report.read_text())["passed"] is True


def test_verify_that_finds_a_difference_is_exit_code_1(
    gated: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = FakeHost(lambda value, flag: (value, 1 - flag))
    monkeypatch.setitem(vars(dycl), "load", lambda directory: fake)
    assert main(["verify", gated, "host", "--count", "3"]) == 1
    assert "output[1]: 1 became 0" in capsys.readouterr().out


def test_report_that_cannot_be_written(
    gated: str, host: FakeHost, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "missing" / "report.json"
    assert main(["verify", gated, "host", "--count", "1", "--json", str(report)]) == 2
    assert "missing is not a directory" in capsys.readouterr().err


def test_bench(
    gated: str, host: FakeHost, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "bench.json"
    arguments = ["bench", gated, "host", "--count", "3", "--rounds", "1", "--json", str(report)]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "trace (wrong for 33%)" in text
    assert "1.00x" in text
    assert len(json.loads(report.read_text())["milliseconds"]) == 3


def test_run_prints_and_saves(
    host: FakeHost, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", np.array([1, 2], np.float32))
    saved = tmp_path / "out.npz"
    arguments = ["run", "host", "--input", str(tmp_path / "x.npy"), "--path"]
    assert main([*arguments, "--save", str(saved)]) == 0
    text = capsys.readouterr().out
    assert "branch  x.sum() > 0 -> True  # gated.py:8" in text
    assert "output[0]: float32[2] [2.0, 4.0]" in text
    assert "output[1]: 1" in text
    with np.load(saved) as arrays:
        assert arrays["output[0]"].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("missing.npy", "missing.npy does not exist"),
        ("rubbish.npy", "rubbish.npy is not an array file"),
        ("pickled.npy", "pickled.npy is not an array file"),
        ("f32[2]", "describes an array but gives none"),
        ("x", "cannot read the input spec 'x'"),
    ],
)
def test_run_with_bad_input(
    given: str,
    expected: str,
    host: FakeHost,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rubbish.npy").write_bytes(b"rubbish")
    np.save("pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert main(["run", "host", "--input", given]) == 2
    assert expected in capsys.readouterr().err


class InputError(Exception):
    """Named as the one in a host package."""


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (InputError("x: expected float32, got int64"), 2, "error: x: expected float32, got int64"),
        (ValueError("negative"), 1, "the model raised ValueError: negative"),
    ],
)
def test_run_that_raises(
    error: Exception,
    code: int,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(vars(dycl), "load", lambda directory: RaisingHost(error))
    np.save(tmp_path / "x.npy", np.array([-1], np.float32))
    assert main(["run", "host", "--input", str(tmp_path / "x.npy")]) == code
    assert expected in capsys.readouterr().err


def test_help_and_version_do_not_import_pytorch() -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'libcst', 'onnx'): sys.modules[name] = None\n"
        "from dycl.cli.main import main\n"
        "sys.exit(main(['--help']) or main(['run', '--help']) or main(['--version']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"dycl, version {metadata_version()}" in done.stdout


def metadata_version() -> str:
    from importlib.metadata import version

    return version("dycl")


def test_reader_that_goes_away_gets_no_traceback() -> None:
    command = f"{sys.executable} -m dycl --help | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == ""
