"""Backends: found by name, honest about what is missing, sharing what is equal."""

import builtins
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from dycl.backends import BackendOptions, backend_names, create_backend
from dycl.backends.compiling import unchecked
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.cache import Cache
from dycl.errors import UserError
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError

X = torch.randn(1, 8, generator=torch.Generator().manual_seed(0))


def test_backend_is_found_by_its_entry_point() -> None:
    assert "onnxruntime" in backend_names()
    backend = create_backend("onnxruntime", BackendOptions(threads=2))
    assert isinstance(backend, OnnxRuntimeBackend)
    assert backend.runtime_settings() == {"device": "cpu", "threads": 2}


def test_unknown_backend_is_named_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"no backend called 'tensorrt'(.|\n)*onnxruntime"):
        create_backend("tensorrt")


def test_availability_tells_versions_and_devices() -> None:
    found = create_backend("onnxruntime").available()
    assert found.available and "cpu" in found.devices
    assert {"torch", "onnx", "onnxruntime"} <= set(found.versions)


def test_missing_runtime_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_runtime(name: str, *args: Any, **kwargs: Any) -> ModuleType:
        if name.partition(".")[0] == "onnxruntime":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_runtime)
    found = create_backend("onnxruntime").available()
    assert not found.available
    assert found.reason == "the package onnxruntime is not installed"
    assert found.help == "pip install 'dycl[onnxruntime]'"


def test_missing_device_names_the_extra() -> None:
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has the CUDA execution provider")
    found = create_backend("onnxruntime", BackendOptions(device="cuda")).available()
    assert not found.available
    assert found.reason == "the installed onnxruntime does not support device 'cuda'"
    assert found.help is not None and "pip install 'dycl[gpu]'" in found.help


def test_unknown_device_is_refused() -> None:
    found = create_backend("onnxruntime", BackendOptions(device="tpu")).available()
    assert not found.available and "known are cpu, cuda" in found.reason


def test_equal_subdnns_share_artifact_and_weights(tmp_path: Path) -> None:
    layer, other = nn.Linear(8, 64), nn.Linear(8, 64)
    both = nn.Sequential(layer, nn.ReLU())
    subdnns = [
        capture_function(function, X, name=f"subdnn_{number}")
        for number, function in enumerate((layer, other, layer, both))
    ]
    artifacts = compile_alone(OnnxRuntimeBackend(), subdnns, tmp_path)
    assert [artifact.file for artifact in artifacts] == ["subdnn_0.onnx"] * 3 + ["subdnn_3.onnx"]
    offsets = [artifact.settings.get("weights") for artifact in artifacts]
    assert offsets[0] == offsets[2] != offsets[1]
    assert (tmp_path / "weights.bin").stat().st_size == 2 * (8 * 64 * 4 + 64 * 4)


def test_structures_come_from_the_cache(tmp_path: Path) -> None:
    layer = nn.Linear(8, 64)
    results = []
    for run in ("cold", "warm"):
        directory = tmp_path / run
        directory.mkdir()
        cache = Cache(tmp_path / "cache")
        subdnns = [capture_function(layer, X)]
        fresh = unchecked(OnnxRuntimeBackend(), subdnns, cache)
        assert len(fresh) == (1 if run == "cold" else 0)
        compile_alone(OnnxRuntimeBackend(), subdnns, directory, cache)
        results.append({p.name: p.read_bytes() for p in directory.iterdir()})
    assert results[0] == results[1]


def test_all_failing_subdnns_are_reported_together(tmp_path: Path) -> None:
    def first(x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = torch.special.bessel_j0(x)
        return y

    def second(x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = torch.special.bessel_j1(x[:, :1] + 1)
        return y

    subdnns = [
        capture_function(function, X, name=f"subdnn_{number}")
        for number, function in enumerate((first, torch.relu, second))
    ]
    with pytest.raises(CompileError) as caught:
        compile_alone(OnnxRuntimeBackend(), subdnns, tmp_path)
    assert [d.code for d in caught.value.diagnostics] == ["DYCL411", "DYCL411"]
