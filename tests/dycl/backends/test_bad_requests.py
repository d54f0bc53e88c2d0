"""Backends that are asked for what they cannot do, or are not as they should be: said, and why."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import dycl
from codegen_host.embedded import _machine
from dycl.backends import create_backend, requirements
from dycl.backends.selection import select_backends
from dycl.cli.main import main
from dycl.errors import UserError
from dycl.options import CompileOptions

X = torch.ones(3)


def selected(backend: str, *options: tuple[str, str]) -> list[str]:
    chosen = CompileOptions(backend_options=options)
    return [one.name for one in select_backends(backend, chosen)]


@pytest.mark.parametrize(
    ("backend", "option", "text"),
    [
        ("onnxruntime", "tvm.processor", "is for tvm, which is not used"),
        ("auto:onnxruntime", "nothing.x", "is for nothing, which is not used"),
        ("auto:onnxruntime", "processor", "which backend is the option 'processor' for"),
        ("onnxruntime", "processor", "backend onnxruntime has no option 'processor'"),
        ("onnxruntime", "onnxruntime.speed", "backend onnxruntime has no option 'speed'"),
    ],
)
def test_option_that_nobody_takes_is_an_error(backend: str, option: str, text: str) -> None:
    with pytest.raises(UserError, match=text):
        selected(backend, (option, "1"))


@pytest.mark.skipif(not create_backend("tvm").available().available, reason="TVM is not installed")
@pytest.mark.parametrize("backend", ["tvm", "auto:onnxruntime,tvm"])
def test_code_that_this_machine_cannot_run_is_not_made(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be run beside PyTorch, and end the process."""
    monkeypatch.setattr(_machine, "_features", lambda: {"sse4_1"})
    with pytest.raises(
        UserError, match=r"could not be checked here: compiled for a CPU with .*avx"
    ):
        selected(backend, ("tvm.processor", "haswell"))


STATES: dict[str, tuple[dict[str, str | None], bool, str]] = {
    "missing": ({"openvino": None}, False, "the package openvino is not installed"),
    "too old": ({"openvino": "2024.1.0"}, False, "openvino 2024.1.0 is older than 2026.0"),
    "newer": ({"openvino": "2031.2"}, True, "openvino 2031.2 is untested; 2026.4 is"),
    "old exporter": ({"onnx": "1.2"}, False, "onnx 1.2 is older than 1.18"),
}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str | None]], None]:
    """Return a function that makes packages seem to be of other versions, None: missing."""
    real = requirements.version

    def pretend(versions: dict[str, str | None]) -> None:
        def version(package: str) -> str | None:
            return versions[package] if package in versions else real(package)

        monkeypatch.setattr(requirements, "version", version)

    return pretend


@pytest.mark.parametrize("state", STATES)
def test_state_of_a_package_is_told(
    state: str, fake: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    versions, usable, text = STATES[state]
    fake(versions)
    found = create_backend("openvino").available()
    assert found.available is usable
    assert text in (found.reason, *found.notes)
    assert main(["backends"]) == 0
    told = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert all(word in told for word in text.split())
    if not usable:
        assert found.help == "pip install 'dycl[openvino]'"
        with pytest.raises(UserError, match=f"backend openvino cannot be used: {text}"):
            selected("openvino")


@pytest.mark.parametrize(("version", "usable"), [("1.3.0", False), ("9.0.0", True)])
def test_version_of_onnxruntime_counts(
    version: str, usable: bool, fake: Callable[..., None]
) -> None:
    fake({"onnxruntime": version})
    found = create_backend("onnxruntime").available()
    assert found.available is usable
    assert f"onnxruntime {version} is" in (found.reason or found.notes[0])


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dycl.CompiledModel:
    layer = torch.nn.Linear(3, 300).eval()
    return dycl.compile(layer, (X,), output=tmp_path_factory.mktemp("packages") / "layer_dycl")


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: manifest.pop(name)


def subdnn_without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: manifest["subdnns"][0].pop(name)


def artifact_without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: manifest["artifacts"][0].pop(name)


def backend_with(**parts: object) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: manifest["backends"]["onnxruntime"].update(parts)


OTHER = {"system": "Linux", "architecture": "sparc", "features": []}
FUTURE = {"features": ["avx9"]}

EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no backends": (without("backends"), "it has no backends"),
    "no files": (without("files"), "it has no files"),
    "no digest": (lambda m: m["files"].pop(m["artifacts"][0]["file"]), "it has no digest of"),
    "no file": (artifact_without("file"), "one of its artifacts has no file"),
    "no artifact": (
        lambda m: m["subdnns"][0].update(artifact=1),
        "the artifact of a sub-DNN is missing",
    ),
    "no settings": (subdnn_without("runtime"), "one of its subdnns has no runtime"),
    "unknown backend": (
        lambda m: m["artifacts"][0].update(backend="nothing"),
        "it has no backend nothing",
    ),
    "no machine": (
        lambda m: m["backends"]["onnxruntime"].pop("machine"),
        "does not say what machine the sub-DNNs of onnxruntime need",
    ),
    "part of a machine": (backend_with(machine=FUTURE), "does not say what machine"),
    "another machine": (backend_with(machine=OTHER), "cannot run here: compiled for sparc"),
    "another format": (lambda m: m.update(format=99), "has format 99"),
    "no table of artifacts": (lambda m: m.update(artifacts=None), "is damaged"),
    "no runtime": (
        lambda m: m["backends"]["onnxruntime"].pop("runtime"),
        "is damaged: backends.onnxruntime has no runtime",
    ),
    "no device": (
        lambda m: m["backends"]["onnxruntime"]["runtime"].pop("device"),
        "is damaged: the sub-DNNs of onnxruntime cannot be loaded as it says",
    ),
    "another device": (
        lambda m: m["backends"]["onnxruntime"]["runtime"].update(device="cuda"),
        "is damaged: .*this loader runs on the cpu",
    ),
    "no entry point": (without("entry_point"), "is damaged: it has no entry_point"),
    "no graph": (lambda m: m.update(graph=None), "is damaged: graph is no dict"),
    "no nodes": (lambda m: m["graph"].update(nodes=[]), "is damaged: its graph has no nodes"),
    "node without an id": (
        lambda m: m["graph"]["nodes"][0].pop("id"),
        r"is damaged: graph.nodes\[0\] has no id",
    ),
    "unknown node": (
        lambda m: m["graph"]["nodes"][0].update(then=["host_9"]),
        "is damaged: its graph has no node host_9",
    ),
    "place of no test": (
        lambda m: m["source_map"].append({"node": "branch_0"}),
        r"is damaged: source_map\[0\] has no at",
    ),
    "nothing compiled": (
        lambda m: m.update(subdnns=[]),
        "is damaged: it has no sub-DNN subdnn_0",
    ),
    "fewer names": (lambda m: m["subdnns"][0].update(inputs=[]), "is damaged"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edited_manifest_is_refused(edit: str, package: dycl.CompiledModel) -> None:
    change, text = EDITS[edit]
    path = package.path / "manifest.json"
    kept = path.read_text(encoding="utf-8")
    manifest = json.loads(kept)
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    try:
        with pytest.raises(Exception, match=text) as caught:
            dycl.load(package.path)
        assert type(caught.value).__name__ == "PackageError"
        assert "manifest.json" in str(caught.value) or "cannot run here" in str(caught.value)
    finally:
        path.write_text(kept, encoding="utf-8")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\N{BYTE ORDER MARK}{}"])
def test_text_that_is_no_manifest_is_refused(text: str, package: dycl.CompiledModel) -> None:
    path = package.path / "manifest.json"
    kept = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        with pytest.raises(Exception, match=r"manifest.json (is damaged|cannot be read|has)") as no:
            dycl.load(package.path)
        assert type(no.value).__name__ == "PackageError"
    finally:
        path.write_text(kept, encoding="utf-8")


@pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
def test_damaged_artifact_is_refused(damage: str, package: dycl.CompiledModel) -> None:
    [entry] = package.manifest["subdnns"]
    path: Path = package.path / entry["file"]
    kept = path.read_bytes()
    match damage:
        case "cut":
            path.write_bytes(kept[: len(kept) // 2])
        case "changed":
            path.write_bytes(bytes([kept[0] ^ 1]) + kept[1:])
        case _:
            path.unlink()
    try:
        with pytest.raises(Exception, match=r"is damaged|cannot be read") as caught:
            dycl.load(package.path)
        assert type(caught.value).__name__ == "PackageError"
    finally:
        path.write_bytes(kept)
    assert dycl.load(package.path)(X.numpy()).shape == (300,)


def test_runtime_that_is_missing_where_a_package_is_used(
    package: dycl.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ImportError, match="with ONNX Runtime: pip install onnxruntime"):
        dycl.load(package.path)


def test_command_line_says_what_is_wrong_with_a_package(
    package: dycl.CompiledModel, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no bug of dycl's, so there is no traceback."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["run", str(package.path), "--input", "f32[3]"]) == 2
    told = capsys.readouterr().err
    assert "cannot be loaded: this package runs its sub-DNNs with ONNX Runtime" in told
    assert "Traceback" not in told


def _cut(file: Path) -> None:
    file.write_text("forward = (", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "damage", "text"),
    [
        ("__init__.py", Path.unlink, "is not a host package: it has no __init__.py"),
        ("manifest.json", Path.unlink, "is not a host package: it has no manifest.json"),
        ("__init__.py", _cut, "__init__.py is damaged: '(' was never closed"),
        ("manifest.json", lambda file: file.write_text("[]"), "manifest.json is damaged"),
    ],
)
def test_command_line_names_the_file_of_a_package_that_is_wrong(
    name: str,
    damage: Callable[[Path], object],
    text: str,
    package: dycl.CompiledModel,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = (package.path / name).read_text(encoding="utf-8")
    damage(package.path / name)
    try:
        assert main(["run", str(package.path), "--input", "f32[3]"]) == 2
    finally:
        (package.path / name).write_text(kept, encoding="utf-8")
    told = " ".join(capsys.readouterr().err.split())
    assert text in told
    assert "Traceback" not in told
