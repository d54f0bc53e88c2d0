"""A package may mix backends: each sub-DNN goes to the one that is fastest on this machine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.backends import choosing, create_backend, diagnosing
from dycl.backends.packaging import compile_package
from dycl.capture import CapturedSubDnn
from dycl.errors import UserError
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError
from tests.dycl.backends.small_models import Gated, pictures

pytest.importorskip("openvino")


def taking_turns() -> Callable[..., dict[str, float]]:
    """Return a measurement that makes the candidates win in turn."""
    winners = iter(["onnxruntime", "openvino"] * 50)

    def measure(calls: Mapping[str, object], subdnn: CapturedSubDnn) -> dict[str, float]:
        winner = next(winners)
        return {name: 1.0 if name == winner else 2.0 for name in calls}

    return measure


def compile_mixed(output: Path, monkeypatch: pytest.MonkeyPatch) -> dycl.CompiledModel:
    monkeypatch.setattr(choosing, "measure", taking_turns())
    options = dycl.CompileOptions(cache=False)
    return dycl.compile(
        Gated().eval(),
        (pictures()[0],),
        backend="auto:onnxruntime,openvino",
        output=output,
        options=options,
    )


def backends_of(compiled: dycl.CompiledModel) -> Sequence[str]:
    return [entry["backend"] for entry in compiled.manifest["subdnns"]]


def test_mixed_package_equals_the_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = compile_mixed(tmp_path / "gated_dycl", monkeypatch)
    assert set(backends_of(compiled)) == {"onnxruntime", "openvino"}
    model = Gated().eval()
    for picture in pictures():
        with torch.no_grad():
            expected = model(picture).numpy()
        np.testing.assert_allclose(compiled(picture.numpy()), expected, rtol=1e-4, atol=1e-5)


def test_choice_and_measurements_are_in_the_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = compile_mixed(tmp_path / "gated_dycl", monkeypatch)
    for entry in compiled.manifest["subdnns"]:
        times: dict[str, Any] = entry["measured"]["microseconds"]
        assert set(times) == {"onnxruntime", "openvino"}
        assert entry["backend"] == min(times, key=lambda name: times[name])
    assert {"numpy", "openvino"} <= set(compiled.manifest["backends"]["openvino"]["packages"])
    names = {path.name for path in compiled.path.iterdir()}
    assert {"_runtime_onnxruntime.py", "_runtime_openvino.py"} <= names


def test_weights_are_stored_once_for_all_backends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "measure", taking_turns())
    layer = nn.Linear(8, 64)
    x = torch.randn(1, 8)
    subdnns = [
        capture_function(layer, x, name="subdnn_0"),
        capture_function(nn.Sequential(layer, nn.ReLU()), x, name="subdnn_1"),
    ]
    candidates = [create_backend("onnxruntime"), create_backend("openvino")]
    compiled = compile_package(candidates, subdnns, tmp_path, None, None)
    assert {file.backend for file in compiled.files.values()} == {"onnxruntime", "openvino"}
    assert all(file.uses == ("weights.bin",) for file in compiled.files.values())
    assert (tmp_path / "weights.bin").stat().st_size == 8 * 64 * 4


def test_a_candidate_that_cannot_take_a_subdnn_is_recorded_with_the_reason(tmp_path: Path) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return (x.double() * 2).sum()

    compiled = dycl.compile(
        function, (torch.ones(3),), backend="auto:openvino,onnxruntime", output=tmp_path / "out"
    )
    [entry] = compiled.manifest["subdnns"]
    assert entry["backend"] == "onnxruntime"
    assert "float64" in entry["measured"]["refused"]["openvino"]
    assert list(compiled.manifest["backends"]) == ["onnxruntime"]


def test_what_no_candidate_takes_is_refused_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "takers", lambda *_: ())  # who compile it, which takes long

    class Bessel(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y: torch.Tensor = torch.special.bessel_j0(torch.relu(x))
            return y

    with pytest.raises(CompileError, match="DYCL411") as caught:
        dycl.compile(
            Bessel(), (torch.ones(3),), backend="auto:openvino,onnxruntime", output=tmp_path / "o"
        )
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.origin is not None and "bessel_j0" in diagnostic.origin.text
    assert not (tmp_path / "o").exists()


def test_named_candidate_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no backend called 'nothing'"):
        dycl.compile(torch.relu, (torch.ones(3),), backend="auto:onnxruntime,nothing")
