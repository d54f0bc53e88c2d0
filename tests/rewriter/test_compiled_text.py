"""A file that has changed since its functions were made is not taken for their source."""

import importlib.util
import linecache
import types
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import dycl
from rewriter.diagnostics import CompileError

TEXT = '''import torch


def scaled(x, factor=2):
    """Nothing but a product."""
    return x * factor


class Model(torch.nn.Module):
    def forward(self, x):
        return scaled(x) - 0.5


shifted = lambda x: x + 1
'''


def _loaded(path: Path, text: str = TEXT) -> types.ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _codes(target: object) -> set[str]:
    try:
        dycl.rewrite(target, (torch.ones(3),))
    except CompileError as error:
        return {diagnostic.code for diagnostic in error.diagnostics}
    return set()


def test_unchanged(tmp_path: Path) -> None:
    """What stands in the file is compiled; comments below the function may change."""
    module = _loaded(tmp_path / "unchanged_text.py")
    (tmp_path / "unchanged_text.py").write_text(TEXT + "\n\nmore = 3  # added\n")
    assert _codes(module.Model()) == _codes(module.scaled) == _codes(module.shifted) == set()


CHANGES: list[Callable[[str], str]] = [
    lambda text: text.replace("x * factor", "x + factor").replace("x + 1", "x - 1"),
    lambda text: (
        text.replace("factor=2", "factor=2.0").replace("x * ", "3 * x * ").replace("1", "2")
    ),
    lambda text: "# moved\n" + text,
    lambda text: text.replace("scaled(", "resized(").replace("x: x", "y: y"),
    lambda text: "this is no Python any more",
]


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_changed(tmp_path: Path, number: int) -> None:
    """Another operator, another number, another place, another name: refused."""
    module = _loaded(tmp_path / "changed_text.py")
    (tmp_path / "changed_text.py").write_text(CHANGES[number](TEXT))
    for target in (module.Model(), module.scaled, module.shifted):
        assert _codes(target) == {"DYCL047"}


def test_equal_text_in_two_files(tmp_path: Path) -> None:
    """Each function is shown in its own file."""
    for name in ("one_text.py", "other_text.py"):
        shifted = _loaded(tmp_path / name).shifted
        assert f"# {name}:14" in dycl.rewrite(shifted, (torch.ones(3),)).source


def test_loaded_again(tmp_path: Path) -> None:
    """The new functions of a changed file are compiled as it is now, the lambda too."""
    path = tmp_path / "text_loaded_again.py"
    assert _codes(_loaded(path).shifted) == set()
    # Of another length: Python would take the bytecode of a file of the same second for its own.
    module = _loaded(path, TEXT.replace("x + 1", "x - 77"))
    assert _codes(module.scaled) == set()
    assert "x - 77" in dycl.rewrite(module.shifted, (torch.ones(3),)).source


def _with_local_class(x):  # type: ignore[no-untyped-def]
    offset = 3

    class Shift:
        def by(self, value):  # type: ignore[no-untyped-def]
            return value + offset

    return Shift().by(x)  # type: ignore[no-untyped-call]


def test_classes_in_functions() -> None:
    """Their methods are compiled anew, under another qualified name, from the same text."""
    assert _codes(_with_local_class) == set()


def _written(text: str) -> Callable[..., object]:
    """Return what a library has made of a text, which it shows under one name for all."""
    file = "<written>"
    namespace: dict[str, Callable[..., object]] = {}
    exec(compile(text, file, "exec"), {"__name__": __name__}, namespace)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return namespace["made"]


def test_text_that_another_has_taken_the_place_of() -> None:
    first = _written("def made(x):\n    return x + 1\n")
    second = _written("def made(x):\n    return x * 2\n")
    assert "x * 2" in dycl.rewrite(second, (torch.ones(2),)).source
    assert _codes(first) == {"DYCL047"}
