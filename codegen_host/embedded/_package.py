"""Loads what belongs to this package and runs its entry point."""

import copy
import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._arguments import Spec, array, check, describe
from ._machine import reason_against
from ._manifest import PackageError, read_manifest
from ._observation import Observation
from ._sizes import InputError, Sizes

_STARRED: dict[Any, Any] = {
    inspect.Parameter.VAR_POSITIONAL: (),
    inspect.Parameter.VAR_KEYWORD: {},
}
"""The parameters ``*rest`` and ``**named``, and what they hold where nothing is given."""

_NOT_POSITIONAL = {inspect.Parameter.KEYWORD_ONLY, *_STARRED}


class Package:
    """The files beside ``__init__.py``: sub-DNNs, constants and the manifest."""

    def __init__(
        self,
        init_file: str,
        arguments: Mapping[str, Spec],
        sizes: Mapping[str, tuple[int, int | None]] | None = None,
    ) -> None:
        """Take the path of ``__init__.py``, what each argument must be, and the bounds of sizes."""
        path = Path(init_file).resolve()
        self.directory = path.parent
        self.arguments = arguments
        self._bounds = sizes or {}
        self.manifest = read_manifest(self.directory)
        callables = _load_subdnns(self.directory, self.manifest)
        self.subdnns = tuple(
            _taking_numbers(callables[entry["id"]], entry) for entry in self.manifest["subdnns"]
        )
        source = path.read_text(encoding="utf-8")
        self._observation = Observation(str(path), source, self.manifest)
        self.observe = self._observation.observe
        self._initial: dict[str, Any] | None = None
        self._state: dict[str, Any] = {}
        self._lock = threading.RLock()

    def constants(self) -> tuple[Any, ...]:
        """Return the arrays that were computed at compile time, in the manifest's order."""
        files = self.manifest["constants"].values()
        return tuple(np.load(self.directory / file, allow_pickle=False) for file in files)

    def keep(self, initial: dict[str, Any]) -> dict[str, Any]:
        """Return what is kept from one call to the next. Calls then run one after the other."""
        self._initial = initial
        self.reset()
        return self._state

    def reset(self) -> None:
        """Bring back what was kept when the model was compiled."""
        with self._lock:
            self._state.clear()
            self._state.update(copy.deepcopy(self._initial or {}))

    def entry(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function with its arguments checked before each call."""
        signature = inspect.signature(function)
        observation = self._observation
        specs = _positional_specs(signature, self.arguments)
        is_as_wanted = _quick_check(signature, specs)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            if not kwargs and is_as_wanted(args) and not observation.active:
                return function(*args)
            args, kwargs = self._checked(signature, specs, args, kwargs)
            if observation.active:
                return observation.observed(function)(*args, **kwargs)
            return function(*args, **kwargs)

        if self._initial is None:
            return checked

        @functools.wraps(function)
        def alone(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                return checked(*args, **kwargs)

        return alone

    def checker(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what returns the arguments of an entry point as it takes them.

        It takes a tuple and a dict of arguments, and raises an InputError where they do not fit.
        """
        signature = inspect.signature(function)
        specs = _positional_specs(signature, self.arguments)
        is_as_wanted = _quick_check(signature, specs)

        def checked(
            args: tuple[Any, ...], kwargs: dict[str, Any]
        ) -> tuple[tuple[Any, ...], dict[str, Any]]:
            if not kwargs and is_as_wanted(args):
                return args, kwargs
            return self._checked(signature, specs, args, kwargs)

        return checked

    @property
    def is_observed(self) -> bool:
        """Return whether somebody in this thread wants to know which way calls go."""
        return bool(self._observation.active)

    def _checked(
        self,
        signature: inspect.Signature,
        specs: list[tuple[str, Spec]] | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        sizes = Sizes(self._bounds)
        if kwargs or specs is None or len(args) != len(specs):
            args, kwargs = self._bind(signature, args, kwargs, sizes)
        else:
            args = tuple(
                check(spec, name, value, sizes)
                for (name, spec), value in zip(specs, args, strict=True)
            )
        sizes.require_consistent()
        return args, kwargs

    def _bind(
        self,
        signature: inspect.Signature,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        sizes: Sizes,
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Check arguments that are given in any way Python allows."""
        names = self._names(signature)
        for name in kwargs:
            if name not in names:
                raise InputError(f"{name}: there is no such argument; expected {_listed(names)}")
        try:
            bound = signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise InputError(f"{error}; expected {_listed(names)}, got {len(args)}") from error
        for name, parameter in signature.parameters.items():
            spec = self.arguments[name]
            if name in bound.arguments or parameter.kind in _STARRED:
                given = bound.arguments.get(name, _STARRED.get(parameter.kind))
                bound.arguments[name] = check(spec, name, given, sizes)
            elif parameter.default is inspect.Parameter.empty:
                raise InputError(f"{name}: is missing; expected {describe(spec)}")
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _names(self, signature: inspect.Signature) -> list[str]:
        """Return the names of arguments; those that ``**`` takes instead of its own name."""
        names: list[str] = []
        for name, parameter in signature.parameters.items():
            named = parameter.kind is parameter.VAR_KEYWORD
            names += self.arguments[name] if named else [name]
        return names


def _taking_numbers(call: Callable[..., Any], entry: Mapping[str, Any]) -> Callable[..., Any]:
    """Return a sub-DNN as a function of Python integers where it takes them; it takes arrays."""
    numbers = [index for index, port in enumerate(entry["inputs"]) if port.get("is_number")]
    if not numbers:
        return call

    def with_numbers(*arguments: Any) -> Any:
        values = list(arguments)
        for index in numbers:
            values[index] = np.array(values[index], np.int64)
        return call(*values)

    return with_numbers


def _positional_specs(
    signature: inspect.Signature, arguments: Mapping[str, Spec]
) -> list[tuple[str, Spec]] | None:
    """Return name and spec of each argument, None where some must be given by name."""
    parameters = signature.parameters.values()
    if any(parameter.kind in _NOT_POSITIONAL for parameter in parameters):
        return None
    return [(parameter.name, arguments[parameter.name]) for parameter in parameters]


def _quick_check(
    signature: inspect.Signature, specs: list[tuple[str, Spec]] | None
) -> Callable[[tuple[Any, ...]], bool]:
    """Return a function that tells whether arguments need no closer look.

    They are numpy's arrays, just as the compiled model takes them; others are left out, and
    have a default. Where it says no, they may still be right.
    """
    forms = [(s.dtype, s.shape) if _has_one_form(s) else (None, None) for _, s in specs or ()]
    defaults = [parameter.default for parameter in signature.parameters.values()]
    fewest, most = defaults.count(inspect.Parameter.empty), len(forms)
    if specs is None or (None, None) in forms[:fewest]:
        return lambda args: False
    array_type = np.ndarray

    def is_as_wanted(args: tuple[Any, ...]) -> bool:
        if not fewest <= len(args) <= most:
            return False
        for place, value in enumerate(args):
            if type(value) is not array_type:
                return False
            dtype, shape = forms[place]
            # the same object: most arrays of a type share it
            if value.dtype is not dtype or value.shape != shape or not value.flags.c_contiguous:
                return False
        return True

    return is_as_wanted


def _has_one_form(spec: Spec) -> bool:
    return type(spec) is array and all(type(size) is int for size in spec.shape)


def _load_subdnns(directory: Path, manifest: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id.

    Each backend that compiled some of them has a loader of its own beside this file.
    """
    subdnns: dict[str, Callable[..., Any]] = {}
    file = directory / "manifest.json"
    for name, backend in manifest["backends"].items():
        try:
            reason = reason_against(backend["machine"])
        except (KeyError, TypeError) as error:
            needed = f"what machine the sub-DNNs of {name} need: {error!r}"
            raise PackageError(f"{file} is damaged: it does not say {needed}") from error
        if reason is not None:
            raise PackageError(f"the sub-DNNs of {name} cannot run here: {reason}")
        runtime = importlib.import_module(f"._runtime_{name}", __package__)
        if backend["machine"] is None and getattr(runtime, "IS_MACHINE_CODE", False):
            raise PackageError(
                f"{file} does not say what machine the sub-DNNs of {name} need, and they "
                "are machine code: restore manifest.json, or compile the package again"
            )
        entries = [entry for entry in manifest["subdnns"] if entry["backend"] == name]
        try:
            subdnns |= runtime.load_subdnns(directory, backend["runtime"], entries)
        except (KeyError, TypeError) as error:
            text = f"the sub-DNNs of {name} cannot be loaded as it says: {error!r}"
            raise PackageError(f"{file} is damaged: {text}") from error
    return subdnns


def _listed(names: list[str]) -> str:
    return f"the arguments {', '.join(names)}" if names else "no arguments"
