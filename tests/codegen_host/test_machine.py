"""Machine code is refused on a machine that lacks what it needs, with the reason."""

import json
import shutil
from pathlib import Path

import pytest
import torch

import dycl
from codegen_host.embedded._machine import reason_against, this_machine
from dycl.loading import import_package


def test_this_machine_is_good_enough_for_itself() -> None:
    assert reason_against(this_machine()) is None
    assert reason_against(None) is None


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"system": "Plan9"}, "compiled for Plan9"),
        ({"architecture": "riscv64"}, "compiled for riscv64"),
        ({"features": ["avx1024"]}, "a CPU with avx1024, which this one does not have"),
    ],
)
def test_other_machine_is_named(changed: dict[str, object], reason: str) -> None:
    assert reason in (reason_against({**this_machine(), **changed}) or "")


def test_package_for_another_cpu_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    def relu(x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)

    compiled = dycl.compile(relu, (torch.ones(3),), output=tmp_path / "relu_dycl")
    moved = tmp_path / "moved_dycl"
    shutil.copytree(compiled.path, moved)
    manifest = json.loads((moved / "manifest.json").read_text())
    manifest["backends"]["onnxruntime"]["machine"] = {**this_machine(), "features": ["avx1024"]}
    (moved / "manifest.json").write_text(json.dumps(manifest))
    (moved / "_runtime_onnxruntime.py").write_text("raise SystemExit('the loader was imported')")
    with pytest.raises(
        Exception, match=r"sub-DNNs of onnxruntime cannot run here.*avx1024"
    ) as error:
        import_package(moved)
    assert type(error.value).__name__ == "PackageError"
