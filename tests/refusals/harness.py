"""How a refusal case is declared, and how it is refused."""

import dataclasses
import importlib
import pkgutil
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from rewriter.diagnostics import CompileError
from tests.refusals import programs

X = torch.tensor([[0.5, -1.0, 1.5], [-2.0, 2.5, -3.0]])
N = 3
"""A number argument: known only at run time."""

Declared = TypeVar("Declared", bound=Callable[..., object])
CASES: "dict[str, Case]" = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program, and the code of the only diagnostic it may be refused with."""

    code: str
    declared: Callable[..., object]
    inputs: tuple[Any, ...]
    arguments: dict[str, Any]
    """More arguments of ``dycl.compile``."""
    options: dict[str, Any]
    as_file: bool
    """Whether ``dycl.emit_onnx`` is to refuse it, in the place of ``dycl.compile``."""

    def target(self) -> Any:
        """Make a fresh target."""
        if not isinstance(self.declared, type):
            return self.declared
        torch.manual_seed(0)
        made: Any = self.declared()
        return made.eval() if isinstance(made, nn.Module) else made


def refused(
    code: str,
    *inputs: Any,
    options: dict[str, Any] | None = None,
    as_file: bool = False,
    **arguments: Any,
) -> Callable[[Declared], Declared]:
    """Declare the program that is refused with a code, called with some inputs."""

    def register(declared: Declared) -> Declared:
        if code in CASES:
            raise ValueError(f"two programs for {code}")
        CASES[code] = Case(
            code=code,
            declared=declared,
            inputs=inputs or (X,),
            arguments=arguments,
            options=options or {},
            as_file=as_file,
        )
        return declared

    return register


def all_cases() -> tuple[Case, ...]:
    """Import every program and return the cases, by code."""
    for module in pkgutil.iter_modules(programs.__path__):
        importlib.import_module(f"{programs.__name__}.{module.name}")
    return tuple(CASES[code] for code in sorted(CASES))


def refusal(
    target: Any,
    inputs: tuple[Any, ...],
    directory: Path,
    options: dict[str, Any],
    *,
    as_file: bool = False,
    **arguments: Any,
) -> CompileError:
    """Compile, and return the refusal."""
    import dycl

    chosen = dataclasses.replace(dycl.CompileOptions(), **options)
    compile: Callable[..., object] = dycl.emit_onnx if as_file else dycl.compile
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(target, inputs, output=str(directory / "host"), options=chosen, **arguments)
        except CompileError as error:
            return error
    raise AssertionError("the program was compiled")


def rendered(error: CompileError) -> str:
    """Return the text that a user sees, with the names of files instead of their paths."""
    return re.sub(r"(?:/[\w.\-]+)+/([\w\-]+\.py)", r"\1", str(error)) + "\n"


def is_tensor(value: object) -> bool:
    """Return whether a value is a tensor: a function of the tests' own to inline."""
    return isinstance(value, Tensor)
