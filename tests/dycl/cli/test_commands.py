"""What the commands do with a model and a host package."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dycl
from dycl.cli.main import main
from tests.dycl.fake_host import FakeHost, RaisingHost


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


def test_compiling_does_not_import_what_takes_long_and_is_not_needed() -> None:
    code = "import sys, dycl.api; sys.exit('libcst.matchers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


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
