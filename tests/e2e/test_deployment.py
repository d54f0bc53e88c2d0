"""A host package runs where the compiler and PyTorch cannot be imported."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.e2e.compiled_zoo import ENTRIES, CompiledZoo

DEPLOYED = """
import sys

BLOCKED = {"torch", "libcst", "onnx", "onnxscript", "networkx", "dycl", "hcfg", "rewriter",
           "codegen_host", "zoo"}

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocker())
sys.path.insert(0, sys.argv[1])

import importlib
import numpy as np

host = importlib.import_module(sys.argv[2])
data = np.load(sys.argv[3])
for picture, expected, exit_taken in zip(data["pictures"], data["logits"], data["exits"]):
    logits, exit_index, is_early = host.early_exit(picture)
    np.testing.assert_allclose(logits, expected, rtol=1e-3, atol=1e-4)
    assert int(exit_index) == exit_taken
assert not BLOCKED & {name.partition(".")[0] for name in sys.modules}
print("as in eager", len(data["pictures"]))
"""


def test_package_runs_without_the_compiler(zoo: CompiledZoo, tmp_path: Path) -> None:
    name = "Shallow-deep ResNet-56"
    model, compiled = zoo.model(name)
    pictures = [picture for (picture,) in ENTRIES[name].module.sample_inputs(20, 1)]
    with torch.no_grad():
        results = [model.early_exit(picture) for picture in pictures]
    np.savez(
        tmp_path / "data.npz",
        pictures=np.stack([picture.numpy() for picture in pictures]),
        logits=np.stack([logits.numpy() for logits, _, _ in results]),
        exits=np.array([int(exit_index) for _, exit_index, _ in results]),
    )
    assert len({int(exit_index) for _, exit_index, _ in results}) > 1
    done = run(DEPLOYED, compiled.path.parent, compiled.path.name, tmp_path / "data.npz")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "as in eager 20\n"


def test_demonstration_of_the_zoo_runs(zoo: CompiledZoo) -> None:
    _, compiled = zoo.model("SkipNet-38")
    script = Path(__file__).parents[2] / "zoo" / "demonstration.py"
    done = subprocess.run(
        [sys.executable, str(script), str(compiled.path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # the digit, what the host sees, which of 17 gates open
    assert len(re.findall(r"^  \d  \d  [#.]{17}$", done.stdout, re.M)) == 8


@pytest.mark.parametrize("damaged", ["subdnns/weights.bin", "subdnns/subdnn_0.onnx"])
def test_damaged_package_is_not_loaded(damaged: str, zoo: CompiledZoo, tmp_path: Path) -> None:
    _, compiled = zoo.model("SkipNet-38")
    copy = tmp_path / "copy_dycl"
    for file in compiled.path.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            target = copy / file.relative_to(compiled.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    content = bytearray((copy / damaged).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / damaged).write_bytes(content)
    done = run("import sys; sys.path.insert(0, sys.argv[1]); import copy_dycl", tmp_path)
    assert done.returncode != 0
    assert "is damaged" in done.stderr


def run(program: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd="/",
    )
