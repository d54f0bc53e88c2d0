"""Compiles models of the zoo for tests, and verifies them."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dycl
from dycl.verification import VerificationReport
from zoo.catalog import PICTURES, Entry

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in PICTURES}


@dataclass(slots=True, kw_only=True)
class CompiledZoo:
    """Host packages of the zoo's models."""

    packages: Path
    """Where they are written."""
    cache: Path
    _compiled: dict[str, tuple[Any, dycl.CompiledModel]] = field(default_factory=dict)

    def compile(self, name: str, output: Path, *, cache: bool = True) -> dycl.CompiledModel:
        """Compile a model anew."""
        entry = ENTRIES[name]
        return dycl.compile(
            entry.build(),
            entry.module.example_inputs(),
            method=entry.method,
            output=output,
            options=dycl.CompileOptions(cache=cache, cache_directory=self.cache),
        )

    def model(self, name: str) -> tuple[Any, dycl.CompiledModel]:
        """Return a model and its host."""
        if name not in self._compiled:
            package = self.packages / (re.sub(r"\W+", "_", name).lower() + "_dycl")
            self._compiled[name] = ENTRIES[name].build(), self.compile(name, package)
        return self._compiled[name]

    def verify(self, name: str, count: int, baseline: str | None = None) -> VerificationReport:
        """Compare a model and its host on realistic inputs."""
        entry = ENTRIES[name]
        model, compiled = self.model(name)
        return dycl.verify(
            model,
            compiled,
            entry.module.sample_inputs(count, 0),
            method=entry.method,
            decide=entry.module.decide,
            baseline=baseline,
        )
