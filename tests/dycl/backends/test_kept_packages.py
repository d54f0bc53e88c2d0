"""What did not change since the last compilation is written as it was, and only that."""

import pkgutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import dycl
from dycl.backends import create_backend, kept_packages
from dycl.backends.onnxruntime import backend
from tests.dycl.backends.block_models import Pooling, Skipping, images

needs_tvm = pytest.mark.skipif(
    not create_backend("tvm").available().available, reason="TVM is not installed"
)


def counted(monkeypatch: pytest.MonkeyPatch, cache: Path, maker: str) -> list[int]:
    """Count the calls of what makes a package's files."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(cache))
    calls: list[int] = []
    original: Any = pkgutil.resolve_name(maker)

    def counting(*arguments: object) -> object:
        calls.append(1)
        return original(*arguments)

    monkeypatch.setattr(maker, counting)
    return calls


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Count how often ONNX Runtime's files are made and not taken from the cache."""
    return counted(monkeypatch, tmp_path / "cache", f"{backend.__name__}._compiled")


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Count how often TVM's library is built and not taken from the cache."""
    maker = "dycl.backends.tvm.compiling.compile_library"
    return counted(monkeypatch, tmp_path / "cache", maker)


def compiled(
    model: nn.Module, output: Path, backend: str = "onnxruntime", **options: object
) -> dycl.CompiledModel:
    given = dycl.CompileOptions(**options)  # type: ignore[arg-type]
    return dycl.compile(model.eval(), (images()[0],), backend=backend, output=output, options=given)


def contents(package: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(package)): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def require_same(model: nn.Module, host: dycl.CompiledModel) -> None:
    for image in images():
        with torch.no_grad():
            torch.testing.assert_close(
                torch.from_numpy(host(image)), model(image), rtol=1e-3, atol=1e-4
            )


@pytest.mark.parametrize("kind", [Skipping, Pooling])
def test_an_unchanged_model_is_not_made_again_and_gives_the_same_package(
    kind: type[nn.Module], made: list[int], tmp_path: Path
) -> None:
    first = compiled(kind(), tmp_path / "first")
    again = compiled(kind(), tmp_path / "again")
    assert len(made) == 1
    assert contents(again.path) == contents(first.path)
    require_same(kind().eval(), again)


def test_another_weight_is_another_package(made: list[int], tmp_path: Path) -> None:
    first = compiled(Skipping(), tmp_path / "first")
    changed = Skipping().eval()
    with torch.no_grad():
        changed.head.bias[0] += 1
    other = compiled(changed, tmp_path / "other")
    assert len(made) == 2
    assert contents(other.path) != contents(first.path)
    require_same(changed, other)


def test_another_option_is_another_package(made: list[int], tmp_path: Path) -> None:
    compiled(Skipping(), tmp_path / "first")
    compiled(Skipping(), tmp_path / "plain", backend_options=(("block_layout", "off"),))
    assert len(made) == 2


def test_what_is_too_large_is_made_each_time(
    made: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_packages, "_LARGEST", 1000)
    first = compiled(Skipping(), tmp_path / "first")
    again = compiled(Skipping(), tmp_path / "again")
    assert len(made) == 2
    assert contents(again.path) == contents(first.path)


def damage(cache: Path) -> None:
    for entry in cache.glob("*/*.entry"):
        content = entry.read_bytes()
        entry.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def test_a_damaged_entry_is_made_anew(made: list[int], tmp_path: Path) -> None:
    compiled(Skipping(), tmp_path / "first")
    damage(tmp_path / "cache")
    require_same(Skipping().eval(), compiled(Skipping(), tmp_path / "again"))
    assert len(made) == 2


@needs_tvm
def test_a_library_of_tvm_is_kept_until_its_entry_is_damaged(
    built: list[int], tmp_path: Path
) -> None:
    first = compiled(Skipping(), tmp_path / "first", "tvm")
    again = compiled(Skipping(), tmp_path / "again", "tvm")
    assert len(built) == 1
    assert contents(again.path) == contents(first.path)
    require_same(Skipping().eval(), again)
    damage(tmp_path / "cache")
    require_same(Skipping().eval(), compiled(Skipping(), tmp_path / "anew", "tvm"))
    assert len(built) == 2


@needs_tvm
def test_another_weight_or_processor_is_another_library_of_tvm(
    built: list[int], tmp_path: Path
) -> None:
    compiled(Skipping(), tmp_path / "first", "tvm")
    changed = Skipping().eval()
    with torch.no_grad():
        changed.head.bias[0] += 1
    require_same(changed, compiled(changed, tmp_path / "changed", "tvm"))
    portable = compiled(
        Skipping(), tmp_path / "portable", "tvm", backend_options=(("processor", "portable"),)
    )
    require_same(Skipping().eval(), portable)
    assert len(built) == 3
