"""Sub-DNNs for a GPU. No GPU is needed: here the CPU plays the device, with the same graphs."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from torch import Tensor, nn

import dycl
from dycl.backends import Availability, BackendOptions
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.onnxruntime.backend import PROVIDERS
from dycl.backends.running import as_json, entry_of
from dycl.loading import CompiledModel
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function

CPU_AS_DEVICE: dict[str, Any] = {"cuda": ("CPUExecutionProvider", "cpu", {})}
FLOATS = torch.tensor([[0.5, -1.5, 2.0], [3.0, 0.25, -4.0]])
NAN = FLOATS.clone().index_put((torch.tensor([0]), torch.tensor([1])), torch.tensor(float("nan")))
HUGE = FLOATS * 1e20
WRONG, RIGHT = torch.tensor([1, 2, 0, 3]), torch.tensor([1, 2, 0, -1])
WEIGHT = torch.arange(6.0).reshape(3, 2)


def loader(backend: OnnxRuntimeBackend) -> ModuleType:
    """Return the loader of packages for a GPU, with the CPU for a device."""
    runtime = ModuleType("_runtime_onnxruntime")
    exec(compile(backend.runtime_source(), "_runtime_onnxruntime.py", "exec"), vars(runtime))
    vars(runtime)["_DEVICES"] = CPU_AS_DEVICE
    return runtime


def loaded(
    function: Callable[..., Any], inputs: Sequence[Tensor], directory: Path
) -> tuple[Callable[..., Any], list[str]]:
    """Return a sub-DNN as it runs on the device, and the names of those that ran on the CPU."""
    backend = OnnxRuntimeBackend(BackendOptions(device="cuda"))
    subdnn = capture_function(function, *inputs)
    (artifact,) = compile_alone(backend, [subdnn], directory)
    assert "device" in artifact.settings
    runtime = loader(backend)
    on_host, ran = runtime._SubDnn._on_host, []

    def recorded(self: Any, *arrays: Any) -> Any:
        ran.append(self._name)
        return on_host(self, *arrays)

    runtime._SubDnn._on_host = recorded
    calls = runtime.load_subdnns(
        directory, as_json(backend.runtime_settings()), [entry_of(subdnn, artifact)]
    )
    return calls[subdnn.name], ran


GUARDED: dict[str, tuple[Callable[..., Any], Sequence[Tensor], Sequence[Tensor]]] = {
    "rows": (lambda x, i: x.T[i], (FLOATS, RIGHT), (FLOATS, WRONG)),
    "one row": (lambda x, i: x.T[i], (FLOATS, RIGHT[3]), (FLOATS, WRONG[3])),
    "one embedding": (
        lambda i: nn.functional.embedding(i, WEIGHT),
        (RIGHT[1],),
        (WRONG[3],),
    ),
    "embedding": (
        lambda i: nn.functional.embedding(i, WEIGHT),
        (RIGHT.abs(),),
        (WRONG,),
    ),
    "gather": (
        lambda x, i: x.gather(1, i.reshape(2, 2)),
        (FLOATS, RIGHT.abs()),
        (FLOATS, WRONG),
    ),
    "several indices": (
        lambda x, i: x[i % 2, i],
        (FLOATS, RIGHT),
        (FLOATS, WRONG),
    ),
    "sums into places": (
        lambda x, i: x.T.index_add(0, i, torch.ones(4, 2)),
        (FLOATS, RIGHT.abs()),
        (FLOATS, WRONG),
    ),
    "integer division": (
        lambda i, j: torch.div(i, j, rounding_mode="floor"),
        (WRONG, WRONG + 1),
        (WRONG, RIGHT),
    ),
    "remainder": (lambda i, j: i % j, (WRONG, WRONG + 1), (WRONG, RIGHT)),
    "casts": (lambda x: x.long(), (FLOATS,), (HUGE,)),
    "casts of NaN": (lambda x: x.to(torch.int32), (FLOATS,), (NAN,)),
    "casts to bytes": (lambda x: x.to(torch.uint8), (FLOATS.abs(),), (FLOATS,)),
    "maxima": (
        lambda x: nn.functional.max_pool1d(x, 2),
        (FLOATS,),
        (NAN,),
    ),
    "sign": (lambda x: x.sign() + 1, (FLOATS,), (NAN,)),
}


@pytest.mark.parametrize("name", GUARDED)
def test_what_a_device_does_otherwise_runs_on_the_cpu(name: str, tmp_path: Path) -> None:
    function, right, wrong = GUARDED[name]
    call, ran = loaded(function, right, tmp_path)
    np.testing.assert_allclose(call(*(x.numpy() for x in right)), function(*right), 1e-6)
    assert ran == []
    arrays = [x.numpy() for x in wrong]
    try:
        expected = function(*wrong)
    except (IndexError, RuntimeError):
        with pytest.raises((IndexError, RuntimeError)):
            call(*arrays)
    else:
        np.testing.assert_allclose(call(*arrays), expected, 1e-6)
    assert ran == ["subdnn_0"]


def test_indices_that_are_none_are_in_range(tmp_path: Path) -> None:
    x, mask = torch.arange(4.0), torch.tensor([True, False, True, False])
    call, ran = loaded(lambda x, mask: x[mask] * 2, (x, mask), tmp_path)
    np.testing.assert_array_equal(call(x.numpy(), mask.numpy()), [0.0, 4.0])
    assert call(x.numpy(), np.zeros(4, np.bool_)).shape == (0,) and ran == []


class Gate(nn.Module):
    """Decides by a number; its image passes between sub-DNNs alone."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        """Run one layer or the other."""
        h = torch.relu(self.one(x))
        h = self.two(h) + h if h.sum() > 1 else h - 1
        result: Tensor = self.one(h)
        return result


@pytest.fixture
def compile_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[nn.Module, CompiledModel]]:
    """Return what compiles a model for a GPU, with more options, where there need be none."""
    available = Availability(available=True, versions={"onnxruntime": "1.31"}, devices=("cuda",))
    monkeypatch.setattr(OnnxRuntimeBackend, "available", lambda _: available)
    providers = [*onnxruntime.get_available_providers(), "CUDAExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: providers)
    monkeypatch.setattr(OnnxRuntimeBackend, "for_single_subdnns", lambda _: OnnxRuntimeBackend())

    def compiled(**more: Any) -> tuple[nn.Module, CompiledModel]:
        torch.manual_seed(0)
        model = Gate().eval()
        options = dycl.CompileOptions(device="cuda", cache=False, **more)
        return model, dycl.compile(model, (torch.randn(8),), output=tmp_path / "p", options=options)

    return compiled


@pytest.fixture
def compiled(
    compile_gate: Callable[..., tuple[nn.Module, CompiledModel]],
) -> tuple[nn.Module, CompiledModel]:
    """Return a model, and its package."""
    return compile_gate()


def test_nothing_stays_where_inputs_are_put_together(
    compile_gate: Callable[..., tuple[nn.Module, CompiledModel]],
) -> None:
    _, package = compile_gate(many_inputs=True)
    about = [entry["runtime"]["device"] for entry in package.manifest["subdnns"]]
    assert about and all(each["stays"] == [] for each in about)


def runtime_of(package: CompiledModel) -> Any:
    """Return the loader of a package."""
    return vars(package.module)["_package"].subdnns[0].__init__.__func__.__globals__


def test_what_passes_between_sub_dnns_stays_on_the_device(
    compiled: tuple[nn.Module, CompiledModel],
) -> None:
    model, package = compiled
    entries = {entry["id"]: entry["runtime"] for entry in package.manifest["subdnns"]}
    assert entries["subdnn_0"]["device"]["stays"] == [0]
    runtime_of(package)["_DEVICES"].update(CPU_AS_DEVICE)
    for subdnn in package.module._package.subdnns:
        subdnn._sessions.provider, subdnn._sessions.memory = "CPUExecutionProvider", "cpu"
    inputs = [torch.randn(8) * scale for scale in (0.01, 1, 2, 3)]
    with torch.no_grad():
        expected = [model(x).numpy() for x in inputs]
    for x, wanted in zip(inputs, expected, strict=True):
        np.testing.assert_allclose(package(x.numpy()), wanted, 1e-5, 1e-6)
    first = package.module._package.subdnns[0](inputs[0].numpy())
    assert isinstance(first[0], onnxruntime.OrtValue) and isinstance(first[1], np.ndarray)
    found: list[Any] = [None] * 32

    def run(place: int) -> None:
        found[place] = package(inputs[place % 4].numpy())

    threads = [threading.Thread(target=run, args=(place,)) for place in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place, result in enumerate(found):
        np.testing.assert_allclose(result, expected[place % 4], 1e-5, 1e-6)


def test_what_was_checked_without_a_gpu_is_checked_again_on_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = []
    for usable in (False, True):
        monkeypatch.setattr("dycl.backends.onnxruntime.backend._is_usable", lambda _, u=usable: u)
        keys.append([OnnxRuntimeBackend(BackendOptions(device=d)).key_parts() for d in PROVIDERS])
    without, with_gpu = keys
    assert without[0] == with_gpu[0] and without[1] != with_gpu[1]


def test_a_device_that_is_not_there_is_told(compiled: tuple[nn.Module, CompiledModel]) -> None:
    _, package = compiled
    if "CUDAExecutionProvider" in onnxruntime.get_available_providers()[:-1]:
        pytest.skip("this machine has the CUDA execution provider")
    with pytest.warns(UserWarning), pytest.raises(ImportError, match="cannot use here"):
        package(np.zeros(8, np.float32))


def test_what_fails_on_the_device_runs_on_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no kernel\nand more")

    monkeypatch.setattr(onnxruntime.InferenceSession, "run_with_iobinding", fail)
    backend = OnnxRuntimeBackend(BackendOptions(device="cuda"))
    subdnn = capture_function(lambda x: x + 1, FLOATS)
    (artifact,) = compile_alone(backend, [subdnn], tmp_path)
    calls = loader(backend).load_subdnns(
        tmp_path, as_json(backend.runtime_settings()), [entry_of(subdnn, artifact)]
    )
    with pytest.warns(RuntimeWarning, match="subdnn_0 ran on the CPU, because cuda failed: no ke"):
        np.testing.assert_array_equal(calls["subdnn_0"](FLOATS.numpy()), FLOATS.numpy() + 1)
