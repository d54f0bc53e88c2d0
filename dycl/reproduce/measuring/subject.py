"""What a cell's process works on: an entry of the catalog, and its package on a backend."""

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from filelock import FileLock
from torch import nn

import dycl
from dycl.reproduce.catalog import Catalog, Entry
from dycl.reproduce.cells import Cell

_COUNTED = 30
"""Inputs by which tuning counts how often sub-DNNs run; others than those that are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A cell, with what its process needs."""

    cell: Cell
    catalog: Catalog
    package: Path
    """Where the compiled model is or goes: cells of several tables share it."""

    @property
    def entry(self) -> Entry:
        """Return the model's entry."""
        return self.catalog.entry(self.cell.model)


Measure: TypeAlias = Callable[[Subject], dict[str, Any]]


class CannotMeasure(Exception):
    """A cell has no result; the message says why, in one line."""


def measuring_alone() -> FileLock:
    """Return a lock of this machine: cells prepare side by side, but measure one by one."""
    return FileLock(Path(tempfile.gettempdir()) / f"dycl-measuring-{os.getuid()}.lock")


def package_of(subject: Subject, model: nn.Module) -> dycl.CompiledModel:
    """Return the model's package; compile it where no cell has."""
    with FileLock(f"{subject.package}.lock"):
        if subject.package.exists():
            return dycl.load(subject.package)
        return compile_entry(subject.entry, model, subject.cell.packaged_by, subject.package)


def compile_entry(entry: Entry, model: nn.Module, spec: str, output: Path) -> dycl.CompiledModel:
    """Compile a model with the backend and the options of a spec."""
    name, options = options_of(spec)
    samples = entry.sample_inputs(_COUNTED, 1) if options.tune else None
    return dycl.compile(
        model,
        entry.example_inputs(),
        method=entry.method,
        backend=name,
        output=output,
        dynamic_shapes=entry.dynamic_shapes(),
        options=options,
        sample_inputs=samples,
    )


def options_of(spec: str) -> tuple[str, dycl.CompileOptions]:
    """Return the backend of a spec and the options after the colon.

    >>> options_of("tvm:tune=64,processor=portable")[1].backend_options
    (('processor', 'portable'),)
    """
    name, _, rest = spec.partition(":")
    if name == "auto" and "=" not in rest:
        return spec, dycl.CompileOptions()
    pairs = (option.partition("=") for option in re.split(r"\s*,\s*", rest) if option)
    given = {option: value for option, _, value in pairs}
    tune = int(given.pop("tune", "0"))
    host_mode = given.pop("host_mode", "python")
    many = given.pop("many_inputs", "no") == "yes"
    return name, dycl.CompileOptions(
        backend_options=tuple(given.items()), tune=tune, host_mode=host_mode, many_inputs=many
    )
