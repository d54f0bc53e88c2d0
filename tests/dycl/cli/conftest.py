"""A model for the command line, and a host package that is not compiled."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dycl
from tests.dycl.fake_host import FakeHost

GATED = """
import torch
from tests.dycl.fake_host import Gated, both_ways

def build_model():
    return Gated()

def example_inputs():
    return both_ways()[0]

def sample_inputs(count, seed):
    return (both_ways() * count)[:count]
"""


@pytest.fixture(autouse=True)
def _clean_imports() -> Iterator[None]:
    paths, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = paths
    for name in set(sys.modules) - modules:
        del sys.modules[name]


@pytest.fixture
def gated(tmp_path: Path) -> str:
    file = tmp_path / "gated.py"
    file.write_text(GATED)
    return str(file)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    fake = FakeHost()
    monkeypatch.setitem(vars(dycl), "load", lambda directory: fake)
    return fake
