"""The same model gives the same package, byte for byte."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.compiled_zoo import ENTRIES, CompiledZoo

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "arguments", [(), pytest.param(("--no-cache",), marks=pytest.mark.slow)], ids=["warm", "cold"]
)
def test_another_process_writes_the_same_bytes(
    arguments: tuple[str, ...], zoo: CompiledZoo, tmp_path: Path
) -> None:
    _, first = zoo.model("SkipNet-38")
    second = tmp_path / "again_dycl"
    done = subprocess.run(
        [sys.executable, "-m", "dycl", "compile", ENTRIES["SkipNet-38"].target,
         "--output", str(second), *arguments],
        cwd=ROOT,
        env={**os.environ, "DYCL_CACHE_DIR": str(zoo.cache), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert contents(second) == contents(first.path)


def test_unchanged_model_comes_from_the_cache(zoo: CompiledZoo, tmp_path: Path) -> None:
    _, first = zoo.model("SkipNet-38")
    second = zoo.compile("SkipNet-38", tmp_path / "again_dycl")
    assert second.report is not None
    assert second.report.exported == 0
    assert second.report.structures > 0
    assert contents(second.path) == contents(first.path)


def contents(package: Path) -> dict[str, bytes]:
    """Return every file that was written, by its name."""
    return {
        str(path.relative_to(package)): path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
