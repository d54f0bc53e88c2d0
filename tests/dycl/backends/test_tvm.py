"""TVM: what a package holds, what it needs of a machine, what it does to its callers' arrays."""

import gc
import importlib.metadata
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.backends import Backend, BackendOptions, create_backend, diagnosing
from dycl.backends.running import load_artifact
from dycl.errors import UserError
from dycl.testing.calls import calls_of, compile_alone
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError
from tests.dycl.backends.small_models import Gated, pictures

pytestmark = pytest.mark.skipif(
    not create_backend("tvm").available().available, reason="TVM is not installed"
)

X = torch.randn(2, 8, generator=torch.Generator().manual_seed(0))

DEPLOYED = """
import os
import sys

cores = os.sched_getaffinity(0)

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "libcst", "dycl", "hcfg", "rewriter"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocker())
sys.path.insert(0, sys.argv[1])

import numpy as np
import gated_dycl

data = np.load(sys.argv[2])
for picture, expected in zip(data["pictures"], data["logits"]):
    np.testing.assert_allclose(gated_dycl.forward(picture), expected, rtol=1e-4, atol=1e-5)
assert "tvm" not in sys.modules  # with the compiler
assert os.sched_getaffinity(0) == cores
print("as in eager", len(data["pictures"]))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    """Return a compiled model whose sub-DNNs have convolutions and products."""
    output = tmp_path_factory.mktemp("packages") / "gated_dycl"
    return dycl.compile(
        Gated().eval(),
        (pictures()[0],),
        backend="tvm",
        output=output,
        options=dycl.CompileOptions(cache=False),
    )


def _expected() -> list[Any]:
    model = Gated().eval()
    with torch.no_grad():
        return [model(picture).numpy() for picture in pictures()]


def test_package_is_one_library_and_one_file_of_weights(package: dycl.CompiledModel) -> None:
    library, weights = sorted(path.name for path in (package.path / "subdnns").iterdir())
    assert re.fullmatch(r"tvm_[0-9a-f]{16}\.so", library) and weights == "weights.bin"


def test_a_package_may_take_the_place_of_one_that_is_loaded(tmp_path: Path) -> None:
    given = torch.arange(3.0)
    for layer in (nn.Tanh(), nn.Softplus()):
        host = dycl.compile(layer, (given,), backend="tvm", output=tmp_path / "package")
        np.testing.assert_allclose(host(given), layer(given), rtol=1e-5)


def test_host_needs_the_runtime_alone(package: dycl.CompiledModel, tmp_path: Path) -> None:
    given = np.stack([picture.numpy() for picture in pictures()])
    np.savez(tmp_path / "data.npz", pictures=given, logits=np.stack(_expected()))
    command = [sys.executable, "-c", DEPLOYED, str(package.path.parent), str(tmp_path / "data.npz")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "as in eager 4\n", done.stderr


def test_calls_from_threads_do_not_meet(package: dycl.CompiledModel) -> None:
    expected = _expected()

    def work(number: int) -> bool:
        picture = pictures()[number % 4].numpy()
        return bool(np.allclose(package(picture), expected[number % 4], rtol=1e-4, atol=1e-5))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(200)))


def _calls(backend: Backend, function: Any, directory: Path) -> Any:
    return calls_of(backend, [capture_function(function, X)], directory)["subdnn_0"]


def test_arrays_anywhere_in_memory_are_taken(tmp_path: Path) -> None:
    """Compiled code crashes on an address that is no multiple of 64; arrays have any."""
    call = _calls(create_backend("tvm"), lambda x: torch.relu(x) * 2, tmp_path)
    expected = torch.relu(X).numpy() * 2
    for offset in range(0, 64, 4):
        memory = np.zeros(X.numel() * 4 + 128, np.uint8)
        start = -memory.__array_interface__["data"][0] % 64 + offset
        given = memory[start : start + X.numel() * 4].view(np.float32).reshape(X.shape)
        given[...] = X.numpy()
        np.testing.assert_allclose(call(given), expected)
        given.flags.writeable = False
        np.testing.assert_allclose(call(given), expected)
        np.testing.assert_allclose(call(np.asfortranarray(given)), expected)


def test_results_share_memory_with_nothing(tmp_path: Path) -> None:
    held = torch.ones(3)
    call = _calls(
        create_backend("tvm"), lambda x: (x.view(-1), x[0], held * 1, x, x.view(-1)), tmp_path
    )
    given = X.numpy().copy()
    for result in call(given):
        result[...] = 7
    np.testing.assert_array_equal(given, X.numpy())
    again = call(given)
    np.testing.assert_array_equal(again[2], [1, 1, 1])
    again[0][...] = 9
    np.testing.assert_array_equal(again[3], X.numpy())
    np.testing.assert_array_equal(again[4], X.numpy().reshape(-1))


def test_structure_is_compiled_once_and_weights_are_each_their_own(tmp_path: Path) -> None:
    layers = [nn.Linear(8, 5), nn.Linear(8, 5)]
    backend = create_backend("tvm")
    subdnns = [
        capture_function(layer, X, name=f"subdnn_{number}") for number, layer in enumerate(layers)
    ]
    artifacts = compile_alone(backend, subdnns, tmp_path)
    assert {artifact.settings["function"] for artifact in artifacts} == {"function_0"}
    for layer, subdnn, artifact in zip(layers, subdnns, artifacts, strict=True):
        call = load_artifact(backend, subdnn, artifact, tmp_path)
        with torch.no_grad():
            np.testing.assert_allclose(call(X.numpy()), layer(X).numpy(), rtol=1e-4, atol=1e-5)


def test_package_for_another_processor_is_refused(package: dycl.CompiledModel) -> None:
    manifest = package.path / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    changed = json.loads(text)
    changed["backends"]["tvm"]["machine"]["features"].append("avx1024")
    manifest.write_text(json.dumps(changed), encoding="utf-8")
    try:
        with pytest.raises(Exception, match="compiled for a CPU with avx1024"):
            dycl.load(package.path)
    finally:
        manifest.write_text(text, encoding="utf-8")
    assert dycl.load(package.path)(pictures()[0]).shape == (1, 4)


def test_package_that_names_no_machine_is_damaged(package: dycl.CompiledModel) -> None:
    manifest = package.path / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    changed = json.loads(text)
    changed["backends"]["tvm"]["machine"] = None
    manifest.write_text(json.dumps(changed), encoding="utf-8")
    try:
        with pytest.raises(Exception, match="what machine the sub-DNNs of tvm need, and they are"):
            dycl.load(package.path)
    finally:
        manifest.write_text(text, encoding="utf-8")


def test_package_of_another_version_is_refused(
    package: dycl.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.31.0")
    with pytest.raises(ImportError, match="was compiled with apache-tvm"):
        dycl.load(package.path)


def test_untested_version_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dycl.backends.tvm.backend.version", lambda name: "0.31.0")
    found = create_backend("tvm").available()
    assert not found.available
    assert found.reason == "apache-tvm 0.31.0 is not tested; 0.27 is"
    assert found.help == "pip install 'apache-tvm==0.27.*'"


def test_unknown_processor_is_named(tmp_path: Path) -> None:
    backend = create_backend("tvm", BackendOptions(extra={"processor": "znver99"}))
    with pytest.raises(UserError, match="no processor called 'znver99'") as caught:
        backend.machine()
    assert "znver" in caught.value.help


def test_portable_code_needs_less_than_native_code(tmp_path: Path) -> None:
    backend = create_backend("tvm", BackendOptions(extra={"processor": "portable"}))
    portable, native = backend.machine(), create_backend("tvm").machine()
    assert portable is not None and native is not None
    assert set(portable["features"]) <= set(native["features"])  # type: ignore[call-overload]
    assert "avx2" not in portable["features"]  # type: ignore[operator]
    call = _calls(backend, nn.Linear(8, 5).eval(), tmp_path)
    assert call(X.numpy()).shape == (2, 5)


def test_what_a_virtual_machine_hides_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from codegen_host.embedded._machine import this_machine
    from dycl.backends.tvm import targets

    here = this_machine()["features"]
    assert isinstance(here, list)
    shown = [feature for feature in here if feature != "aes"]
    monkeypatch.setattr(targets, "this_machine", lambda: {"features": shown})
    hidden = targets.processor("native")
    assert set(hidden.machine["features"]) <= set(shown)  # type: ignore[call-overload]
    monkeypatch.setattr(targets, "this_machine", lambda: {"features": []})
    assert targets.processor("native").lacking == ()


def test_refusal_says_nothing_on_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "takers", lambda *_: ())  # who compile it, which takes long
    with pytest.raises(CompileError, match="DYCL411"):
        _calls(create_backend("tvm"), lambda x: torch.linalg.svd(torch.relu(x)).U, tmp_path)
    gc.collect()
    assert capfd.readouterr().err == ""


def test_what_would_not_be_rounded_is_refused(tmp_path: Path) -> None:
    """TVM's code leaves out casts to bfloat16 and back; those to float16 it keeps."""
    with pytest.raises(CompileError, match="in bfloat16, which TVM computes in float32"):
        _calls(create_backend("tvm"), lambda x: x.bfloat16().float() * 2, tmp_path)
    call = _calls(create_backend("tvm"), lambda x: x.half().float() * 2, tmp_path)
    np.testing.assert_array_equal(call(X.numpy()), X.half().float().numpy() * 2)
