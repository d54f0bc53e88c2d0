"""A backend of another distribution: the example in docs/backends.md, installed and used."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "example_backend"
FILES = sorted(
    path for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml") and path.is_file()
)

MODEL = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        y = torch.relu(x) * 2
        return y if x.sum() > 0 else y - 1

def example_inputs():
    return (torch.ones(3),)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that holds what pip would install of the example."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))
    site = tmp_path_factory.mktemp("site")
    for package in project["tool"]["setuptools"]["packages"]:
        shutil.copytree(
            EXAMPLE / package, site / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    name, version = project["project"]["name"], project["project"]["version"]
    information = site / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    [(group, points)] = project["project"]["entry-points"].items()
    lines = [f"{point} = {value}" for point, value in points.items()]
    (information / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]) + "\n")
    return site


def run(site: Path, *arguments: str, directory: Path) -> str:
    """Return what a Python process prints that finds the backend."""
    path = os.pathsep.join([str(site), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_listed_and_compiles(installed: Path, tmp_path: Path) -> None:
    listed = run(installed, "-m", "dycl", "backends", directory=tmp_path)
    assert "reference" in listed
    (tmp_path / "net.py").write_text(MODEL)
    made = ["-m", "dycl", "compile", "net.py", "--backend", "reference", "--output", "net_dycl"]
    run(installed, *made, directory=tmp_path)
    manifest = json.loads((tmp_path / "net_dycl" / "manifest.json").read_text())
    assert set(manifest["backends"]) == {"reference"}
    told = run(
        installed, "-m", "dycl", "verify", "net.py", "net_dycl", "--count", "5", directory=tmp_path
    )
    assert "the host does what the original does" in told


@pytest.mark.slow
def test_it_passes_the_kit(installed: Path, tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "test_reference_backend.py", tmp_path)
    run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", ".", directory=tmp_path)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_documentation_shows_the_file(file: Path) -> None:
    text = (ROOT / "docs" / "backends.md").read_text(encoding="utf-8")
    kind = "toml" if file.suffix == ".toml" else "python"
    assert f"```{kind}\n{file.read_text(encoding='utf-8')}```" in text
