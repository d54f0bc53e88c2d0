"""Models of the zoo as one ONNX file: the same decision on every input."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import dycl
from dycl.verification.decision import decisions_equal, like_original
from rewriter.diagnostics import CompileError
from tests.one_onnx.plain_runtime import OneFile
from tests.zoo.models import ENTRIES, on_models
from zoo import adaptive_computation, captioner, deebert, experts

MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (adaptive_computation, captioner, deebert, experts)
}


def inconsistent(run: Any, module: Any, file: OneFile) -> list[int]:
    """Return which of a hundred inputs are decided otherwise."""
    found = []
    for index, sample in enumerate(module.sample_inputs(100, 0)):
        with torch.no_grad():
            expected = run(*copy.deepcopy(sample))
        actual = file(*(np.asarray(each) for each in sample))
        decided = [module.decide(r) for r in (expected, like_original(actual, expected))]
        found += [] if decisions_equal(*decided) else [index]
    return found


RAISING = "Feature boosting, pruned"
"""Raises, as PyTorch does, where a picture needs no channel at all."""


@pytest.mark.slow
def test_what_may_raise_stays_a_host_package(tmp_path: Path) -> None:
    entry = ENTRIES[RAISING]
    with pytest.raises(CompileError, match="DYCL430"):
        dycl.emit_onnx(
            entry.build(), entry.example_inputs(), method=entry.method, output=tmp_path / "one"
        )


@pytest.mark.slow
@on_models([name for name in ENTRIES if name != RAISING])
def test_published_models(name: str, tmp_path: Path) -> None:
    """SkipNets, BlockDrop, shallow-deep networks."""
    model, run = ENTRIES[name].prepare()
    module = ENTRIES[name].module
    dycl.emit_onnx(
        model, module.example_inputs(), method=ENTRIES[name].method, output=tmp_path / "one"
    )
    original = getattr(model, ENTRIES[name].method)
    assert inconsistent(run, module, OneFile(tmp_path / "one", original)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_other_models(name: str, tmp_path: Path) -> None:
    """Loops that end by themselves, experts, a decoder that returns lists of many lengths."""
    module: Any = MODULES[name]
    model = module.build_model().eval()
    dycl.emit_onnx(model, module.example_inputs(), output=tmp_path / "one")
    assert inconsistent(model, module, OneFile(tmp_path / "one", model.forward)) == []
