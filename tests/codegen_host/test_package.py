"""Host packages on disk: written whole, loaded anywhere, equal to the original."""

import hashlib
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

import dycl
from codegen_host.manifest import CompiledSubDnns
from codegen_host.package import OutputRefused, is_package, require_free, write_package
from dycl.api import compile_program
from dycl.backends import create_backend
from dycl.building import Building
from hcfg.build import build_hcfg
from hcfg.passes import run_passes
from tests.codegen_host.models import gated_net, gated_program, images

NET = gated_net()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def compile_gated(output: Path, cache: Path | None, *, force: bool = False) -> dycl.CompiledModel:
    options = dycl.CompileOptions(cache=cache is not None, cache_directory=cache, force=force)
    return compile_program(
        gated_program(NET),
        "GatedNet.forward",
        [create_backend("onnxruntime")],
        output,
        options,
    )


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    output = tmp_path_factory.mktemp("packages") / "gated_dycl"
    compile_gated(output, cache)
    return output


def test_package_equals_the_original_on_both_paths(package: Path) -> None:
    compiled = dycl.load(package)
    taken = set()
    for image in images(20):
        with torch.no_grad():
            logits, opened = NET(image)
        for given in (image, image.numpy()):
            got_logits, got_opened = compiled(given)
            np.testing.assert_allclose(got_logits, logits.numpy(), rtol=1e-4, atol=1e-5)
            assert got_opened is opened
        taken.add(opened)
    assert taken == {True, False}


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "libcst", "onnx", "onnxscript", "dycl", "hcfg",
                                      "rewriter", "codegen_host", "networkx"}:
            raise ImportError(f"{name} must not be imported")
sys.meta_path.insert(0, Blocked())
import numpy
import gated_dycl
result = gated_dycl.forward(numpy.load(sys.argv[1]))
numpy.save(sys.argv[2], result[0])
with gated_dycl.observe(print):
    gated_dycl.forward(x=numpy.load(sys.argv[1]))
"""


def test_package_runs_without_pytorch(package: Path, tmp_path: Path) -> None:
    image = images(1)[0]
    np.save(tmp_path / "x.npy", image.numpy())
    files = [str(tmp_path / "x.npy"), str(tmp_path / "y.npy")]
    command = [sys.executable, "-c", BLOCKED, *files]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with torch.no_grad():
        expected = NET(image)[0].numpy()
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-4, atol=1e-5)
    assert "('subdnn', 'subdnn_0')" in done.stdout and "'branch_0'" in done.stdout


def test_package_works_wherever_it_is_moved(package: Path, tmp_path: Path) -> None:
    moved = tmp_path / "net v1.2-final"
    shutil.copytree(package, moved)
    image = images(1)[0]
    np.testing.assert_array_equal(dycl.load(moved)(image)[0], dycl.load(package)(image)[0])


def test_same_program_gives_the_same_files(package: Path, tmp_path: Path, cache: Path) -> None:
    compile_gated(tmp_path / "warm", cache)
    compile_gated(tmp_path / "cold", None)
    wanted = {file.relative_to(package): file.read_bytes() for file in files_of(package)}
    for name in ("warm", "cold"):
        found = {f.relative_to(tmp_path / name): f.read_bytes() for f in files_of(tmp_path / name)}
        assert found == wanted


def files_of(directory: Path) -> list[Path]:
    found = [path for path in directory.rglob("*") if path.is_file()]
    return [path for path in found if path.suffix != ".pyc"]


def test_nothing_in_the_package_names_this_machine(package: Path) -> None:
    for file in files_of(package):
        assert str(Path.cwd()).encode() not in file.read_bytes(), file
        assert str(package.parent).encode() not in file.read_bytes(), file


def test_manifest_describes_graph_and_subdnns(package: Path) -> None:
    manifest = json.loads((package / "manifest.json").read_text())
    assert manifest["entry_point"] == "GatedNet.forward"
    assert manifest["inputs"][0]["shape"] == [1, 3, 6, 6]
    nodes = {node["id"]: node for node in manifest["graph"]["nodes"]}
    branch = nodes["branch_0"]
    assert len(set(branch.pop("then"))) == 2
    assert branch == {
        "id": "branch_0", "kind": "branch", "test": "taken", "source": "gated.py:13"
    }  # fmt: skip
    first = dycl.load(package).manifest["subdnns"][0]
    assert [port["shape"] for port in first["outputs"]] == [[1, 8, 6, 6], [1, 1]]
    content = (package / first["file"]).read_bytes()
    assert manifest["files"][first["file"]] == hashlib.sha256(content).hexdigest()
    assert set(manifest["files"]) == {
        f"subdnns/{path.name}" for path in (package / "subdnns").iterdir()
    }


def test_a_package_has_what_it_imports(package: Path) -> None:
    assert {path.stem for path in package.glob("_*.py")} == {
        "__init__", "_arguments", "_instrument", "_machine", "_manifest", "_observation",
        "_package", "_runtime_onnxruntime", "_sizes",
    }  # fmt: skip


def test_observer_is_told_the_path_and_the_margin(package: Path) -> None:
    compiled = dycl.load(package)
    for image in images(8):
        with torch.no_grad():
            pooled = torch.relu(NET.stem(image)).mean((2, 3))
            p = torch.sigmoid(NET.gate(pooled)).item()
        events: list[tuple[object, ...]] = []
        with compiled.observe(events.append):
            compiled(image)
        branch = next(event for event in events if event[0] == "branch")
        assert branch[:3] == ("branch", "branch_0", p > 0.5)
        assert branch[3] == pytest.approx(abs(p - 0.5), rel=1e-3)
        ran = [event[1] for event in events if event[0] == "subdnn"]
        assert ran == ["subdnn_0", "subdnn_1" if p > 0.5 else "subdnn_2"]
    seen = len(events)
    compiled(image)
    assert len(events) == seen


def test_observers_are_per_thread_and_nest(package: Path) -> None:
    compiled = dycl.load(package)
    image = images(1)[0]
    outer: list[tuple[object, ...]] = []
    inner: list[tuple[object, ...]] = []
    with compiled.observe(outer.append):
        thread = threading.Thread(target=compiled, args=(image,))
        thread.start()
        thread.join()
        assert outer == []
        with compiled.observe(inner.append):
            compiled(image)
    assert outer == inner != []


def test_calls_from_many_threads_do_not_disturb_each_other(package: Path) -> None:
    compiled = dycl.load(package)
    inputs = images(8)
    expected = [compiled(image)[0] for image in inputs]
    wrong: list[int] = []

    def run(offset: int) -> None:
        for step in range(50):
            index = (offset + step) % len(inputs)
            if not np.array_equal(compiled(inputs[index])[0], expected[index]):
                wrong.append(index)

    threads = [threading.Thread(target=run, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "x: is missing; expected an array float32[1, 3, 6, 6]"),
        ((1, 2), {}, "too many positional arguments; expected the arguments x, got 2"),
        ((), {"y": 1}, "y: there is no such argument; expected the arguments x"),
        ((1,), {"x": 1}, "multiple values for argument 'x'; expected the arguments x, got 1"),
        ((3,), {}, "x: expected an array float32[1, 3, 6, 6], got a value of type int"),
    ],
)
def test_wrong_arguments_are_named(
    package: Path, args: tuple[object, ...], kwargs: dict[str, object], text: str
) -> None:
    with pytest.raises(ValueError, match="x") as caught:
        dycl.load(package)(*args, **kwargs)
    assert type(caught.value).__name__ == "InputError"
    assert str(caught.value) == text


def test_returned_arrays_belong_to_the_caller(package: Path) -> None:
    compiled = dycl.load(package)
    image = images(1)[0].numpy()
    kept = image.copy()
    first = compiled(image)[0]
    first += 100
    np.testing.assert_array_equal(image, kept)
    assert compiled(image)[0].max() < 100


def test_damaged_file_is_noticed(package: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(package, damaged)
    weights = damaged / "subdnns" / "weights.bin"
    content = bytearray(weights.read_bytes())
    content[100] ^= 1
    weights.write_bytes(content)
    with pytest.raises(Exception, match=r"weights\.bin is damaged"):
        dycl.load(damaged)
    weights.unlink()
    with pytest.raises(Exception, match=r"weights\.bin cannot be read"):
        dycl.load(damaged)


# --- where packages may be written ------------------------------------------------------------


def test_own_package_is_replaced_and_others_are_not(
    package: Path, tmp_path: Path, cache: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(package, own)
    (own / "left over").touch()
    compile_gated(own, cache)
    assert is_package(own) and not (own / "left over").exists()

    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    with pytest.raises(dycl.errors.UserError, match="was not made by dycl"):
        compile_gated(other, cache)
    assert (other / "thesis.tex").read_text() == "years of work"
    compile_gated(other, cache, force=True)
    assert is_package(other) and not (other / "thesis.tex").exists()


def test_place_of_a_file_is_never_free(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(OutputRefused, match="is not a directory"):
            require_free(tmp_path / name, force=True)
    (tmp_path / "empty").mkdir()
    require_free(tmp_path / "empty", force=False)
    require_free(tmp_path / "new", force=False)


@pytest.mark.parametrize("exists", [False, True])
def test_failure_while_writing_leaves_everything_as_it_was(
    exists: bool, package: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    if exists:
        shutil.copytree(package, output)
    before = {path: path.read_bytes() for path in files_of(tmp_path)}
    building = Building(
        optimised=run_passes(build_hcfg(gated_program(NET))),
        backends=(create_backend("onnxruntime"),),
        options=dycl.CompileOptions(cache=False),
    )

    def full_disk(directory: Path) -> CompiledSubDnns:
        (directory / "half.onnx").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    description = building.package(gated_program(NET), "GatedNet.forward", "0")
    with pytest.raises(OSError, match="No space left"):
        write_package(description, full_disk, output, force=False)
    assert {path: path.read_bytes() for path in files_of(tmp_path)} == before
    assert [path.name for path in tmp_path.iterdir()] == (["out"] if exists else [])
