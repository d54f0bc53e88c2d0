"""The zoo, compiled: each model once in a process, exports shared between processes."""

import os
from pathlib import Path

import pytest

from tests.e2e.compiled_zoo import CompiledZoo


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> CompiledZoo:
    """Return the compiled models of the zoo; they are compiled when first asked for."""
    own = tmp_path_factory.getbasetemp()
    in_worker = "PYTEST_XDIST_WORKER" in os.environ
    shared: Path = own.parent if in_worker else own
    return CompiledZoo(packages=tmp_path_factory.mktemp("zoo"), cache=shared / "e2e-cache")
