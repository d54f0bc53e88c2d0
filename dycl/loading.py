"""Loads host packages and calls them. Needs neither PyTorch nor the compiler."""

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dycl.errors import UserError

if TYPE_CHECKING:
    from dycl.compile_report import CompileReport
    from hcfg.graph import Hcfg

_numbers = itertools.count()


class CompiledModel:
    """A host package in a directory, as a callable."""

    def __init__(
        self,
        module: ModuleType,
        path: Path,
        report: "CompileReport | None" = None,
        hcfg: "Hcfg | None" = None,
    ) -> None:
        """Hold a package that was imported as ``module`` from ``path``."""
        self._module = module
        self.path = path
        self.report = report
        """What the compilation did; None for a package that was only loaded."""
        self.hcfg = hcfg
        """The final graph; None for a package that was only loaded."""

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the model on numpy arrays or tensors; return arrays, numbers and containers."""
        return self._module.forward(*args, **kwargs)

    @property
    def takes_many(self) -> bool:
        """Return whether the package was compiled for many inputs together."""
        return hasattr(self._module, "forward_many")

    def many(self, inputs: "Iterable[object]") -> list[Any]:
        """Run the model on many inputs together; return what it returns for each.

        Each input is a tuple of arguments, or a dict of them by name. What stands at the same
        sub-DNN is one call. Where one input raises, so does this, as if they ran one by one.
        Raises ``UserError`` if the package was not compiled for it
        (``CompileOptions(many_inputs=True)``).
        """
        if not self.takes_many:
            raise UserError(
                f"{self.path} was not compiled for many inputs",
                help="compile it with CompileOptions(many_inputs=True), or --many-inputs",
            )
        results: list[Any] = self._module.forward_many(inputs)
        return results

    def __repr__(self) -> str:
        return f"<CompiledModel {self.manifest['entry_point']} at {self.path}>"

    @property
    def module(self) -> ModuleType:
        """Return the package as a module: it has the classes of results and exceptions."""
        return self._module

    @property
    def state(self) -> dict[str, Any]:
        """Return what the model keeps from one call to the next, by name; empty for most."""
        state: dict[str, Any] = getattr(self._module, "state", {})
        return state

    def reset(self) -> None:
        """Bring back the state at compile time."""
        if hasattr(self._module, "reset"):
            self._module.reset()

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Return the parsed ``manifest.json``."""
        manifest: Mapping[str, Any] = self._module._package.manifest
        return manifest

    @property
    def rewritten_source(self) -> str:
        """Return the rewritten program as runnable PyTorch."""
        return (self.path / "rewritten.py").read_text(encoding="utf-8")

    @property
    def host_source(self) -> str:
        """Return the generated host program."""
        return (self.path / "__init__.py").read_text(encoding="utf-8")

    def observe(
        self, callback: Callable[[tuple[Any, ...]], object]
    ) -> AbstractContextManager[None]:
        """Call ``callback`` with an event per branch and sub-DNN call, in this thread.

        Events are ``("branch", node, outcome, margin)`` and ``("subdnn", node)``.
        """
        context: AbstractContextManager[None] = self._module.observe(callback)
        return context


def load(path: str | Path) -> CompiledModel:
    """Return the host package in a directory as a callable."""
    return CompiledModel(import_package(Path(path)), Path(path).absolute())


def import_package(path: Path) -> ModuleType:
    """Import a host package under a name of its own, whatever its directory is called."""
    file = path / "__init__.py"
    missing = [name for name in ("manifest.json", file.name) if not (path / name).is_file()]
    if missing:
        raise UserError(
            f"{path} is not a host package: it has no {missing[0]}",
            help="give the directory that `dycl compile` wrote",
        )
    name = f"_dycl_host_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(path.absolute())]
    )
    if spec is None or spec.loader is None:
        raise UserError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: it imports its own parts by this name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        for imported in [n for n in sys.modules if n == name or n.startswith(f"{name}.")]:
            del sys.modules[imported]
        raise
    return module
