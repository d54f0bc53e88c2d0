"""What is imported inside functions runs the code of modules for the first time."""

import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from rewriter import rewrite

NET = """
def deep(x):
    from . import deeper
    return deeper.twice(x) if x.sum() > 0 else x

def broken(x):
    try:
        from . import fails
    except ValueError as error:
        return x + 1 if x.sum() > 0 else x, str(error)
"""


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    """Return a module of a package with modules that nobody has imported."""
    package = tmp_path / "package_of_imports"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "net.py").write_text(NET)
    (package / "deeper.py").write_text("def twice(x):\n    return x * 2\n")
    (package / "fails.py").write_text("raise ValueError('not here')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("package_of_imports.net")
    for name in [n for n in sys.modules if n.startswith("package_of_imports")]:
        del sys.modules[name]


def test_a_module_of_the_package_is_imported_then(net: types.ModuleType) -> None:
    """``from . import deeper`` looks for a module where the package has no such name."""
    source = rewrite(net.deep, (torch.ones(2),)).source
    assert "x * 2" in source


def test_an_error_of_a_module_is_one_of_the_program(net: types.ModuleType) -> None:
    """Any exception may come out of the code of a module, and be caught."""
    assert "'not here'" in rewrite(net.broken, (torch.ones(2),)).source
