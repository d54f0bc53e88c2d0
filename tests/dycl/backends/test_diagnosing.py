"""A refusal names the backends that would take the sub-DNN."""

import shutil
from pathlib import Path

import pytest
import torch

from dycl.backends import diagnosing
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.openvino import OpenVinoBackend
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError

X = torch.linspace(-1.0, 2.0, 6).reshape(2, 3)


def first_vectors(x: torch.Tensor) -> torch.Tensor:
    """Return what no backend computes: signs of singular vectors are LAPACK's own."""
    vectors: torch.Tensor = torch.linalg.svd(x).U
    return vectors


def advice(caught: pytest.ExceptionInfo[CompileError]) -> str:
    [diagnostic] = caught.value.diagnostics
    return diagnostic.help


def test_those_who_take_it_are_named(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="DYCL411: OpenVINO") as caught:
        compile_alone(OpenVinoBackend(), [capture_function(lambda x: x.double() * 2, X)], tmp_path)
    assert advice(caught) == (
        "write it with other operators, "
        "or choose a backend that takes it: --backend onnxruntime, --backend tvm"
    )


@pytest.mark.slow  # Inductor compiles C++
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_who_needs_pytorch_is_named_where_no_other_takes_it(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="DYCL411: ONNX Runtime") as caught:
        compile_alone(OnnxRuntimeBackend(), [capture_function(first_vectors, X)], tmp_path)
    assert advice(caught).endswith(
        "or choose a backend that takes it: --backend inductor (needs PyTorch at run time)"
    )


def test_nobody_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosing, "backend_names", lambda: ("onnxruntime", "openvino", "tvm"))
    with pytest.raises(CompileError, match="DYCL411: ONNX Runtime") as caught:
        compile_alone(OnnxRuntimeBackend(), [capture_function(first_vectors, X)], tmp_path)
    assert advice(caught).endswith("as no other backend that is installed here takes it")
