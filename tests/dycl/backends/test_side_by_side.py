"""Several packages of a model in one report, and measured in one run."""

import json
from pathlib import Path

import pytest

import dycl
from dycl.benchmark import BenchmarkOptions, benchmark_hosts
from dycl.cli.console import as_html
from dycl.cli.main import main
from dycl.verification import verify
from dycl.verification.side_by_side import SideBySide, package_names, render_side_by_side
from tests.dycl.backends.small_models import Gated, pictures

MODEL = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x - 1

def example_inputs():
    return (torch.ones(3),)
"""


@pytest.fixture
def package(tmp_path: Path) -> dycl.CompiledModel:
    return dycl.compile(Gated().eval(), (pictures()[0],), output=tmp_path / "gated_dycl")


def test_one_failing_package_fails_the_whole(package: dycl.CompiledModel) -> None:
    good = verify(Gated().eval(), package, pictures())
    other = Gated().eval()
    other.head.bias.data += 100
    bad = verify(other, package, pictures())
    assert SideBySide(reports={"gated": {"a": good}}).passed
    both = SideBySide(reports={"gated": {"a": good}, "other": {"a": good, "b": bad}})
    assert not both.passed and both.names == ("a", "b")
    assert json.loads(both.to_json())["models"]["other"]["b"]["passed"] is False


def test_packages_are_named_after_their_backends() -> None:
    one: dict[str, object] = {"backends": {"onnxruntime": {}}}
    two: dict[str, object] = {"backends": {"onnxruntime": {}, "tvm": {}}}
    assert package_names([one, two], ["a", "b"]) == ["onnxruntime", "onnxruntime + tvm"]
    assert package_names([one, one], ["a", "b"]) == ["a", "b"]


def test_hosts_are_measured_beside_eager(package: dycl.CompiledModel) -> None:
    found = benchmark_hosts(
        Gated().eval(),
        {"first": package, "second": package},
        pictures()[:2],
        options=BenchmarkOptions(rounds=2),
    )
    assert [list(entry) for entry in found] == [["eager", "first", "second"]] * 2


def test_verify_takes_several_packages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(MODEL)
    for name in ("one", "two"):
        assert main(["compile", "net.py", "--output", name]) == 0
    written = ["--json", "both.json", "--html", "both.html"]
    assert main(["verify", "net.py", "one", "two", "--count", "5", *written]) == 0
    assert "0.0% / -10.0" in capsys.readouterr().out
    assert set(json.loads(Path("both.json").read_text())["models"]["Net.forward"]) == {"one", "two"}
    page = Path("both.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "inconsistent rate / log10" in page
    assert "0.0% / -10.0" in page and "src=" not in page and "href=" not in page


def test_where_nothing_could_be_compared_there_is_no_error(package: dycl.CompiledModel) -> None:
    """Not the smallest one: these pictures are refused by the package."""
    report = verify(Gated().eval(), package, [picture[:, :, :4] for picture in pictures()])
    page = as_html([render_side_by_side(SideBySide(reports={"gated": {"a": report}}))])
    assert "100.0% / -<" in page and "-10.0" not in page
