"""Digests of what a result depends on: sources, data, versions, options, the machine."""

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from dycl.reproduce.catalog import Catalog
from dycl.reproduce.cells import Cell
from dycl.reproduce.machine import Machine

_ROOMS = ("rewriter", "hcfg", "codegen_host", "dycl")
_ONLY_SHOWING = ("dycl/cli", "dycl/reproduce")
"""Not what is measured, but for ``_MEASURING``."""
_MEASURING = ("dycl/reproduce/measuring", "dycl/reproduce/compiling_once")
_CODE = {".py", ".pyc"}


@dataclass(frozen=True, kw_only=True)
class Causes:
    """Digests for the models of a catalog, on this machine."""

    catalog: Catalog
    machine: Machine
    _entries: dict[str, str] = field(default_factory=dict)

    def of_cell(self, cell: Cell) -> str:
        """Return the digest of all that a cell's outcome depends on."""
        return _digest(asdict(cell), asdict(self.machine), self.of_model(cell.model))

    def of_package(self, model: str, backend: str) -> str:
        """Return the digest of all that a package depends on."""
        return _digest(backend, self.machine.versions, self.of_model(model))

    def of_model(self, name: str) -> str:
        """Return the digest of dycl and of a model's own files."""
        if name not in self._entries:
            entry = self.catalog.entry(name)
            about = [each for each in self.catalog.comparisons if each.model == name]
            others = [each for each in self.catalog.batched if each.model == name]
            code: list[Any] = [entry.build, *(e.units for e in about), *(e.prepare for e in others)]
            files = _files_of(code, self.catalog.file.parent)
            values = [_values(each) for each in (entry, *about, *others)]
            self._entries[name] = _digest(self._common, values, _contents(files))
        return self._entries[name]

    @cached_property
    def commit(self) -> str:
        """Return the commit of dycl, with ``+`` where it or the catalog was changed since.

        Empty where dycl does not run from its repository.
        """
        root = Path(__file__).parents[2]
        if Path(_git(root, "rev-parse", "--show-toplevel")) != root:
            return ""
        commit = _git(root, "rev-parse", "--short", "HEAD")
        models = self.catalog.file.parent
        # git says nothing at all where one of the paths is none of the repository's
        sources = (*_ROOMS, *([str(models)] if models.is_relative_to(root) else []))
        return f"{commit}+" if _git(root, "status", "--short", "--", *sources) else commit

    @cached_property
    def _common(self) -> str:
        root = Path(__file__).parents[2]
        sources = [path for room in _ROOMS for path in (root / room).rglob("*.py")]
        measured = [path for path in sources if _is_measured(path.relative_to(root).as_posix())]
        folder = self.catalog.file.parent
        data = [path for path in folder.rglob("*") if path.is_file() and _is_data(path, folder)]
        return _digest(_contents(measured), _contents(data))


def _git(root: Path, *arguments: str) -> str:
    """Return what git says; nothing where it says nothing."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()


def _is_measured(path: str) -> bool:
    return path.startswith(_MEASURING) or not path.startswith(_ONLY_SHOWING)


def _is_data(path: Path, folder: Path) -> bool:
    """Weights and the like: which model reads them cannot be seen, so they count for all."""
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith((".", "__")) for part in parts)
    return path.suffix not in _CODE | {".md"} and not hidden


def _values(described: Any) -> dict[str, object]:
    """Return what an entry says; of functions and modules their names."""
    slots = is_dataclass(described)
    names = [field.name for field in fields(described)] if slots else sorted(vars(described))
    return {name: _value(getattr(described, name)) for name in names}


def _value(value: object) -> object:
    if isinstance(value, str | int | float | None):
        return value
    return getattr(value, "__qualname__", getattr(value, "__name__", type(value).__name__))


def _files_of(code: Iterable[Callable[..., object]], root: Path) -> list[Path]:
    """Return the files of functions, and those of the catalog's folder that these use."""
    seen: dict[str, Path] = {}
    waiting = [sys.modules[function.__module__] for function in code]
    while waiting:
        module = waiting.pop()
        # built-in modules have no file
        file = Path(getattr(module, "__file__", None) or "/").resolve()
        if module.__name__ in seen or not file.is_relative_to(root):
            continue
        seen[module.__name__] = file
        waiting += _modules_used(module)
    return sorted(seen.values())


def _modules_used(module: ModuleType) -> Iterator[ModuleType]:
    for value in vars(module).values():
        used = value if isinstance(value, ModuleType) else inspect.getmodule(value)
        if used is not None:
            yield used


def _contents(files: Iterable[Path]) -> list[tuple[str, str]]:
    return [(file.name, sha256(file.read_bytes()).hexdigest()) for file in sorted(files)]


def _digest(*parts: object) -> str:
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
