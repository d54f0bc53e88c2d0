"""What the command line says of itself, and of bad input: help and exit codes."""

from pathlib import Path
from textwrap import dedent

import pytest

import dycl
from dycl.cli.main import main
from rewriter.diagnostics import CompileError, Diagnostic
from tests.dycl.fake_host import FakeHost

COMMANDS = ("compile", "rewrite", "graph", "verify", "bench", "run", "backends")
NEED_A_MODEL = (["compile"], ["rewrite"], ["graph", "-o", "g.svg"])


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
