"""Tensors that only sub-DNNs look into pass between them in blocks of channels."""

import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from torch import nn

import dycl
from dycl.backends.onnxruntime.optimising import probe
from dycl.backends.onnxruntime.runtime import block_size
from dycl.backends.onnxruntime.sharing import TOGETHER
from tests.dycl.backends.block_models import (
    Bare,
    Pooling,
    Repeating,
    Returning,
    Skipping,
    images,
)

NOT_HERE = block_size() not in (8, 16)
needs_blocks = pytest.mark.skipif(NOT_HERE, reason="ONNX Runtime lays nothing out in blocks here")
MODELS: dict[str, Callable[[], nn.Module]] = {
    "skipped blocks": Skipping,
    "pooling": Pooling,
    "returned in one branch": Returning,
    "in a loop": Repeating,
    "channels that are no whole blocks": lambda: Skipping(20),
    "arms of which only the filters differ": Bare,
    "one block twice": lambda: Skipping(tied=True),
}


@pytest.fixture(scope="module", params=list(MODELS))
def compiled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, nn.Module, dycl.CompiledModel]:
    model = MODELS[request.param]().eval()
    output = tmp_path_factory.mktemp("blocks") / "model_dycl"
    return request.param, model, dycl.compile(model, (images()[0],), output=output)


def fast_entries(host: dycl.CompiledModel) -> dict[str, dict[str, Any]]:
    descriptions = host.path / "subdnns" / "graphs.json"
    about = json.loads(descriptions.read_text()) if descriptions.exists() else {}
    entries = [(e["id"], e["runtime"]["fast"]) for e in entries_with_fast(host.manifest)]
    return {name: {**about[fast["file"]], **fast} for name, fast in entries}


def entries_with_fast(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in manifest["subdnns"] if "fast" in entry["runtime"]]


def blocked_borders(host: dycl.CompiledModel) -> set[int]:
    return {border for each in fast_entries(host).values() for border, _ in each["borders"]}


def require_same(model: nn.Module, host: dycl.CompiledModel, image: torch.Tensor) -> None:
    with torch.no_grad():
        expected = model(image).numpy()
    np.testing.assert_allclose(host(image), expected, rtol=1e-3, atol=1e-4)


def test_results_are_pytorchs(compiled: tuple[str, nn.Module, dycl.CompiledModel]) -> None:
    _, model, host = compiled
    for image in images() * 2:
        require_same(model, host, image)


@pytest.mark.parametrize("special", [float("nan"), float("inf"), float("-inf")])
def test_special_numbers_are_pytorchs(
    compiled: tuple[str, nn.Module, dycl.CompiledModel], special: float
) -> None:
    name, model, host = compiled
    for index, image in enumerate(images()):
        changed = image.clone()
        changed.view(-1)[7 * index] = special
        if name != "in a loop" or special == special:  # with NaN the loop is never entered
            require_same(model, host, changed)
        require_same(model, host, image)


@needs_blocks
def test_borders_in_blocks(compiled: tuple[str, nn.Module, dycl.CompiledModel]) -> None:
    name, _, host = compiled
    borders = {
        "skipped blocks": True,
        "pooling": True,
        "returned in one branch": True,
        "in a loop": True,
        "channels that are no whole blocks": False,
        "arms of which only the filters differ": True,
        "one block twice": True,
    }
    assert bool(blocked_borders(host)) == borders[name]


@needs_blocks
def test_a_sub_dnn_between_borders_reorders_nothing(tmp_path: Path) -> None:
    host = dycl.compile(Pooling().eval(), (images()[0],), output=tmp_path / "model_dycl")
    between = [
        e for e in fast_entries(host).values() if {p[0] for p in e["in_blocks"]} == {"x", "y"}
    ]
    assert between
    for entry in between:
        content = gzip.decompress((host.path / "subdnns" / TOGETHER).read_bytes())
        graph = onnx.load_from_string(content[slice(*entry["bytes"])]).graph
        assert [node.op_type for node in graph.node][:2] == ["Conv", "Conv"]
        assert not any(node.op_type == "ReorderInput" for node in graph.node)
        assert entry["filters"]


def test_a_returned_image_is_in_order(tmp_path: Path) -> None:
    model = Returning().eval()
    host = dycl.compile(model, (images()[0],), output=tmp_path / "model_dycl")
    results = [host(image) for image in images()]
    assert {result.ndim for result in results} == {2, 4}


def test_switched_off(tmp_path: Path) -> None:
    model = Pooling().eval()
    options = dycl.CompileOptions(backend_options=(("block_layout", "off"),))
    host = dycl.compile(model, (images()[0],), output=tmp_path / "model_dycl", options=options)
    assert not fast_entries(host)
    assert not (host.path / "subdnns" / TOGETHER).exists()
    for image in images():
        require_same(model, host, image)


def _edited(host: dycl.CompiledModel, edit: Callable[[dict[str, Any]], object]) -> Path:
    path = host.path / "manifest.json"
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))
    return host.path


def _of_other_blocks(path: Path) -> None:
    _say_of_all(path, block=4)


def _of_another_version(path: Path) -> None:
    _say_of_all(path, onnxruntime="1.0.0")


def _say_of_all(path: Path, **settings: object) -> None:
    """Edit what is said about fast graphs."""
    descriptions = path / "subdnns" / "graphs.json"
    about = json.loads(descriptions.read_text())
    for file in about:
        if "recipes" in about[file]:
            about[file] |= settings
    descriptions.write_text(json.dumps(about))


def _without_a_partner(path: Path) -> None:
    manifest = json.loads((path / "manifest.json").read_text())
    del entries_with_fast(manifest)[0]["runtime"]["fast"]
    (path / "manifest.json").write_text(json.dumps(manifest))


@needs_blocks
@pytest.mark.parametrize("edit", [_of_other_blocks, _of_another_version, _without_a_partner])
def test_where_fast_graphs_are_not_right_plain_ones_run(
    tmp_path: Path, edit: Callable[[Path], object]
) -> None:
    model = Pooling().eval()
    host = dycl.compile(model, (images()[0],), output=tmp_path / "model_dycl")
    file = host.path / "subdnns" / TOGETHER
    assert file.exists()
    file.write_bytes(b"whoever loads these fails")
    edit(host.path)
    loaded = dycl.load(_edited(host, lambda manifest: _renew_digests(manifest, host.path)))
    for image in images():
        require_same(model, loaded, image)


def _renew_digests(manifest: dict[str, Any], path: Path) -> None:
    for file in manifest["files"]:
        manifest["files"][file] = hashlib.sha256((path / file).read_bytes()).hexdigest()


def _are_at(ports: list[str], end: str) -> bool:
    return all(port[0] == end for port in ports)


@needs_blocks
@pytest.mark.parametrize("end", ["x", "y"])
def test_a_partner_that_keeps_images_in_order_is_noticed(tmp_path: Path, end: str) -> None:
    """Should the loader be wrong about partners, arrays still say how they are laid out."""
    model = Skipping().eval()
    host = dycl.compile(model, (images()[0],), output=tmp_path / "model_dycl")

    def break_one(manifest: dict[str, Any]) -> None:
        entries = [e["runtime"] for e in entries_with_fast(manifest)]
        ports = {name: fast["in_blocks"] for name, fast in fast_entries(host).items()}
        wanted = [e["id"] for e in entries_with_fast(manifest) if _are_at(ports[e["id"]], end)]
        broken = next(e["runtime"] for e in manifest["subdnns"] if e["id"] == wanted[0])
        for entry in entries:
            entry["fast"]["borders"] = [[0, len(entries) - 1]]
        del broken["fast"]

    loaded = dycl.load(_edited(host, break_one))
    noticed = 0
    for image in images():
        try:
            require_same(model, loaded, image)
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument:
            noticed += 1
        except RuntimeError as error:
            noticed += 1
            assert "subdnn" in str(error)
    assert bool(noticed) == (end == "x")  # a reader cannot do without; a maker's images are taken


@needs_blocks
def test_a_package_that_was_replaced_is_not_read_any_more(tmp_path: Path) -> None:
    """Plain graphs are loaded when they are needed, which may be when others are there."""
    image = images()[0]
    first = dycl.compile(Pooling().eval(), (image,), output=tmp_path / "model_dycl")
    other = Pooling().eval()
    other.stem.weight.data *= 2
    second = dycl.compile(other, (image,), output=tmp_path / "model_dycl")
    require_same(Pooling().eval(), first, image)
    special = image.clone()
    special.view(-1)[0] = float("nan")
    require_same(other, second, special)
    with pytest.raises(RuntimeError, match="is not what it was when this package was loaded"):
        first(special)


@needs_blocks
def test_weights_are_stored_once(tmp_path: Path) -> None:
    off = dycl.CompileOptions(backend_options=(("block_layout", "off"),))
    sizes = []
    for name, options in (("fast", None), ("plain", off)):
        host = dycl.compile(
            Skipping().eval(), (images()[0],), output=tmp_path / name, options=options
        )
        sizes.append((host.path / "subdnns" / "weights.bin").stat().st_size)
    assert sizes[0] <= 1.05 * sizes[1]


def test_threads_do_not_meet(tmp_path: Path) -> None:
    model = Pooling().eval()
    host = dycl.compile(model, (images()[0],), output=tmp_path / "model_dycl")
    given = [image.clone() for image in images()]
    given[3].view(-1)[5] = float("nan")  # the plain graphs are loaded by several at a time
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda image: require_same(model, host, image), given * 10))


def test_the_loader_has_the_probe() -> None:
    import dycl.backends.onnxruntime

    source = Path(dycl.backends.onnxruntime.__file__).with_name("runtime.py").read_text()
    lines = source[source.index("_PROBE = ") :].split(")")[0].splitlines()[1:]
    assert bytes.fromhex("".join(line.strip().strip('"') for line in lines)) == probe()


@needs_blocks
def test_filters_begin_where_vectors_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[int] = []

    def noted(content: np.ndarray[Any, Any]) -> object:
        addresses.append(content.ctypes.data)
        return kept(content)

    host = dycl.compile(Skipping().eval(), (images()[0],), output=tmp_path / "skipping")
    kept = onnxruntime.OrtValue.ortvalue_from_numpy
    monkeypatch.setattr(onnxruntime.OrtValue, "ortvalue_from_numpy", noted)
    dycl.load(host.path)
    assert addresses
    assert all(address % 64 == 0 for address in addresses)
