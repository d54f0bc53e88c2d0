"""``FILE[:TARGET]``: find the model that the user means, as uvicorn finds ``module:app``."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

import torch
from torch import nn

from dycl.errors import UserError
from dycl.user_file import load_user_file
from dycl.user_traceback import render_user_traceback

SEED = 0
"""Models are built under this seed, so that compile and verify see the same weights."""

_RESERVED = frozenset(
    {"build_model", "example_inputs", "dynamic_shapes", "sample_inputs", "decide"}
)
"""Functions of FILE with a meaning of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be compiled: an object and its entry point, or a plain function."""

    file: Path
    module: ModuleType
    name: str
    """The name in FILE that it was found under."""
    model: object
    """An ``nn.Module`` (or other object with methods), or a plain function."""
    method: str
    """The entry point on the object; ``forward`` for a plain function, where it has no meaning."""

    @property
    def entry(self) -> Callable[..., object]:
        """Return what an eager user would call."""
        if isinstance(self.model, FunctionType):
            return self.model
        if isinstance(self.model, nn.Module) and self.method == "forward":
            return self.model  # __call__ runs the hooks as well
        bound: Callable[..., object] = getattr(self.model, self.method)
        return bound


def parse_target(text: str) -> tuple[Path, str | None]:
    """Split ``FILE[:TARGET]``."""
    if ":" not in text or Path(text).exists():
        return Path(text), None
    file, _, name = text.rpartition(":")
    if not name.isidentifier():
        raise UserError(f"{name!r} in {text!r} is not a Python name; expected FILE:TARGET")
    return Path(file), name


def resolve_target(text: str, method: str = "forward") -> Target:
    """Import FILE, build or take the model, and check that it has the entry point."""
    file, name = parse_target(text)
    torch.manual_seed(SEED)
    module = load_user_file(file)
    name = name or _default_name(file, module)
    if not hasattr(module, name):
        raise UserError(f"{file} has no {name!r}", help=_listing(file, module))
    torch.manual_seed(SEED)
    model = _model_of(file, name, getattr(module, name))
    _check_method(file, name, model, method)
    return Target(file=file, module=module, name=name, model=model, method=method)


def candidates(module: ModuleType) -> tuple[str, ...]:
    """Return the names in a module that could be a TARGET, in the order of the file."""
    return tuple(
        name
        for name, value in vars(module).items()
        if isinstance(value, nn.Module)
        or _is_module_class(value, module)
        or (isinstance(value, FunctionType) and _is_public_function(name, value, module))
    )


def _default_name(file: Path, module: ModuleType) -> str:
    if callable(getattr(module, "build_model", None)):
        return "build_model"
    classes = [n for n, value in vars(module).items() if _is_module_class(value, module)]
    match classes:
        case [only]:
            return only
        case []:
            raise UserError(
                f"{file} defines no model: no build_model() and no nn.Module subclass",
                help=_listing(file, module),
            )
        case _:
            raise UserError(
                f"{file} defines several models: {', '.join(classes)}",
                help=f"name one: {file}:{classes[-1]}, or define build_model()",
            )


def _is_module_class(value: object, module: ModuleType) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, nn.Module)
        and value.__module__ == module.__name__
    )


def _is_public_function(name: str, value: FunctionType, module: ModuleType) -> bool:
    mine = value.__module__ == module.__name__
    return mine and not name.startswith("_") and (name == "build_model" or name not in _RESERVED)


def _listing(file: Path, module: ModuleType) -> str:
    names = candidates(module)
    if not names:
        return "define `def build_model():` that returns the model"
    return f"candidates: {', '.join(f'{file}:{name}' for name in names)}"


def _model_of(file: Path, name: str, found: object) -> object:
    match found:
        case nn.Module():
            return found
        case type():
            return _construct(file, name, found)
        case FunctionType() if _required_parameters(found):
            return found
        case FunctionType():
            return _call_factory(file, name, found)
        case _:
            raise UserError(
                f"{file}:{name} is a {type(found).__name__}; "
                "expected an nn.Module, a class, a function or a zero-argument factory"
            )


def _construct(file: Path, name: str, model_class: type[object]) -> object:
    missing = _required_parameters(model_class)
    if missing:
        raise UserError(
            f"{file}:{name} cannot be built without arguments: it needs {', '.join(missing)}",
            help=f"define `def build_model(): return {name}(...)` in {file}",
        )
    model = _run_users(lambda: model_class(), f"{file}:{name}() fails")
    # nobody could have called eval() on it; what a factory returns is left as it is
    return model.eval() if isinstance(model, nn.Module) else model


def _call_factory(file: Path, name: str, factory: Callable[[], object]) -> object:
    model = _run_users(factory, f"{file}:{name}() fails")
    if isinstance(model, nn.Module):
        return model
    raise UserError(f"{file}:{name}() returned a {type(model).__name__}; expected an nn.Module")


def _run_users(call: Callable[[], object], complaint: str) -> object:
    try:
        return call()
    except Exception as error:
        raise UserError(complaint, detail=render_user_traceback(error)) from error


def _required_parameters(function: Callable[..., object]) -> list[str]:
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is inspect.Parameter.empty and parameter.kind not in variadic
    ]


def _check_method(file: Path, name: str, model: object, method: str) -> None:
    if isinstance(model, FunctionType):
        if method != "forward":
            raise UserError(f"{file}:{name} is a function: it has no method {method!r}")
        return
    if not callable(getattr(model, method, None)):
        own = [
            m
            for m, value in vars(type(model)).items()
            if isinstance(value, FunctionType) and not m.startswith("_")
        ]
        raise UserError(
            f"{type(model).__name__} has no method {method!r}",
            help=f"its methods: {', '.join(own)}" if own else "",
        )
