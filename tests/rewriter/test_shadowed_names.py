"""A file of the user's that has the name of a standard module is the user's all the same."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

import dycl
from rewriter.known_paths import is_library
from rewriter.printing import runnable

SOURCE = """
import torch
from torch import nn


def doubled(x):
    return x * 2 if x.sum() > 0 else x


class Net(nn.Module):
    calls = 0

    def forward(self, x):
        Net.calls += 1
        return doubled(x) + Net.calls
"""


def test_it_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sched.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("sched", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "sched", module)
    spec.loader.exec_module(module)
    model = module.Net()
    ones = torch.ones(3)
    rewritten = runnable(dycl.rewrite(model, (ones,)), model)
    assert module.Net.calls == 0
    for inputs, expected in ((ones, ones * 3), (-ones, ones)):
        result = rewritten(inputs)
        assert isinstance(result, torch.Tensor)
        assert torch.equal(result, expected)


def test_it_is_standard_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    import sched

    assert is_library("sched")
    other = type(sys)("sched")
    other.__file__ = "/home/someone/sched.py"
    with monkeypatch.context() as shadowed:
        shadowed.setitem(sys.modules, "sched", other)
        assert not is_library("sched")
    assert is_library(sched.__name__)
