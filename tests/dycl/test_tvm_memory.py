"""What TVM compiles for sizes of run time writes into its own tensors alone."""

import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends import create_backend
from dycl.backends.running import as_json, entry_of
from dycl.backends.trials import inputs_at, trials
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import compile_alone
from rewriter.program import SymbolRange
from tests.dycl import guarded_memory
from tests.dycl.symbolic import capture_symbolic, count, floats, integers
from tests.dycl.test_symbolic_operators import CASES, captured
from tests.dycl.test_tvm_late_products import CASES as PRODUCTS
from tests.dycl.test_tvm_late_products import captured as product

pytest.importorskip("tvm_ffi")
pytestmark = pytest.mark.skipif(
    not guarded_memory.can_check(), reason="needs the checking malloc of glibc"
)


def selecting(x: Tensor, n: int) -> tuple[Tensor, ...]:
    """Return tensors whose sizes only the call knows, some of them only its values."""
    y = x.clone()
    y[x > 0] = 1.0
    chosen = x[x[:, 0] > 0]
    return torch.cat([chosen, y[:1]]), y[:n].softmax(1).cumsum(0), x[n:].amax(1), y.nonzero()


def captured_selecting() -> CapturedSubDnn:
    return capture_symbolic(
        selecting,
        {"x": floats("s", 4), "n": count()},
        *(floats("a", 4), floats("b", 4), floats("c"), integers("d", 2)),
        symbols={"s": SymbolRange()},
    )


def program_of(subdnns: Sequence[CapturedSubDnn], directory: Path) -> list[str]:
    """Compile sub-DNNs; return a command that runs them, guarded, at sizes 0, 1, 2, 5, 33..."""
    backend = create_backend("tvm")
    artifacts = compile_alone(backend, subdnns, directory)
    entries = [entry_of(s, a) for s, a in zip(subdnns, artifacts, strict=True)]
    calls = [
        (subdnn.name, [np.asarray(value) for value in inputs])
        for subdnn in subdnns
        for values in trials(subdnn)
        if (inputs := inputs_at(subdnn, values, seed=0)) is not None
    ]
    recorded, loader = directory / "calls", directory / "loader.py"
    recorded.write_bytes(pickle.dumps((as_json(backend.runtime_settings()), entries, calls)))
    loader.write_text(backend.runtime_source())
    return [sys.executable, guarded_memory.__file__, str(loader), str(directory), str(recorded)]


def run(program: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    environment = dict(guarded_memory.environment())
    return subprocess.run(program, env=environment, capture_output=True, text=True, timeout=300)


def test_nothing_is_written_beyond_a_tensor(tmp_path: Path) -> None:
    """The second run shows that a single byte would be noticed."""
    program = program_of([captured_selecting()], tmp_path)
    kept = run(program)
    assert kept.returncode == 0 and int(kept.stdout) > 10, kept.stderr
    assert run([*program, "--overrun"]).returncode < 0


def scratch_of(
    subdnn: CapturedSubDnn, kernels: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Any]:
    """Compile a sub-DNN; return the shapes of what its kernels of such names keep."""
    from dycl.backends.tvm import pipeline
    from tests.dycl.tvm_scratch import scratch_shapes

    scheduled: list[Any] = []
    schedule = pipeline.schedule

    def recording(*arguments: Any) -> Any:
        scheduled.append(schedule(*arguments))
        return scheduled[-1]

    monkeypatch.setattr(pipeline, "schedule", recording)
    compile_alone(create_backend("tvm"), [subdnn], directory)
    return scratch_shapes(scheduled[-1], kernels)


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_no_operator_writes_beyond_a_tensor(half: int, tmp_path: Path) -> None:
    names = list(CASES)[half::2]
    kept = run(program_of([captured(name) for name in names], tmp_path))
    assert kept.returncode == 0 and int(kept.stdout) > 5 * len(names), kept.stderr


@pytest.mark.parametrize("name", ["plain", "gelu", "uneven with bias", "read twice", "joined rows"])
def test_a_product_keeps_no_more_than_a_tile(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = scratch_of(product(name), "product", tmp_path, monkeypatch)
    assert len(kept) == 1
    assert all(isinstance(size, int) for size in kept[0]) and math.prod(kept[0]) <= 32 * 16


@pytest.mark.parametrize("name", ["attention", "softmax", "mask"])
def test_no_tensor_is_kept_between_two_operators(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scratch_of(captured(name), "", tmp_path, monkeypatch) == []


@pytest.mark.slow
def test_no_product_writes_beyond_a_tensor(tmp_path: Path) -> None:
    run_of = run(program_of([product(name) for name in PRODUCTS], tmp_path))
    assert run_of.returncode == 0 and int(run_of.stdout) > 5 * len(PRODUCTS), run_of.stderr
