"""Classes that a host package declares for those of the user that its results are made of."""

import builtins
import dataclasses
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePath

from codegen_host.literals import literal_text
from rewriter.known_paths import import_path, is_library
from rewriter.stand_ins import is_named_tuple


@dataclass(slots=True)
class Classes:
    """What must be declared, bases first."""

    taken: Collection[str]
    """Names that the module uses for something else."""
    declared: dict[str, type] = field(default_factory=dict)
    with_attributes: set[type] = field(default_factory=set)
    """Exceptions that carry more than their arguments, lists and dicts with attributes."""

    def declare(self, kind: type, *, with_attributes: bool) -> str | None:
        """Return the name under which instances are made; None where there can be no class."""
        name = kind.__name__
        if self.declared.get(name) is kind:
            return self._named(kind, with_attributes)
        if name in self.taken or name in self.declared or hasattr(builtins, name):
            return None
        for base in _declared_bases(kind):
            if self.declare(base, with_attributes=False) is None:
                return None
        self.declared[name] = kind
        return self._named(kind, with_attributes)

    def _named(self, kind: type, with_attributes: bool) -> str:
        if with_attributes and issubclass(kind, BaseException | list | dict):
            self.with_attributes.add(kind)
        return kind.__name__

    def imports(self) -> Iterator[str]:
        """Yield the import statements that the declarations need."""
        kinds = self.declared.values()
        named = any(is_named_tuple(kind) for kind in kinds)
        if any(_field_lines(kind) for kind in kinds):
            yield f"from typing import Any{', NamedTuple' if named else ''}"
        elif named:
            yield "from typing import NamedTuple"
        if any(dataclasses.is_dataclass(kind) for kind in kinds):
            fields = [line for kind in kinds for line in _field_lines(kind)]
            needs_field = any("= field(" in line for line in fields)
            yield f"from dataclasses import dataclass{', field' if needs_field else ''}"
        for kind in kinds:
            for base in _library_bases(kind):
                path = import_path(base)
                if path is not None and path[0] != "builtins":
                    yield f"from {path[0]} import {path[1]}"

    def own_imports(self) -> tuple[str, ...]:
        """Return what the declarations need of the package's own ``_objects.py``."""
        names = {base for kind in self.declared.values() for base in self._bases(kind)}
        return tuple(sorted(names & {"Attributes", "CarriesAttributes", "HoldsItems"}))

    def lines(self, file: str) -> Iterator[str]:
        """Yield the declarations."""
        for name, kind in self.declared.items():
            yield from ("", "")
            if dataclasses.is_dataclass(kind):
                yield _decorator(kind)
            bases = ", ".join(self._bases(kind))
            yield f"class {name}({bases}):" if bases else f"class {name}:"
            yield f'    """Stands for {name} of {PurePath(file).name}."""'
            fields = _member_lines(kind) if issubclass(kind, Enum) else _field_lines(kind)
            if fields:
                yield ""
                yield from (f"    {line}" for line in fields)

    def _bases(self, kind: type) -> list[str]:
        if is_named_tuple(kind):
            return ["NamedTuple"]
        own = [base.__name__ for base in _declared_bases(kind)]
        others = [base.__name__ for base in _library_bases(kind)]
        if kind in self.with_attributes and not self._inherits_attributes(kind):
            own.insert(0, "HoldsItems" if issubclass(kind, list | dict) else "CarriesAttributes")
        plain = not (own or others or dataclasses.is_dataclass(kind))
        return ["Attributes"] if plain else [*own, *others]

    def _inherits_attributes(self, kind: type) -> bool:
        return any(issubclass(kind, other) for other in self.with_attributes - {kind})


def _declared_bases(kind: type) -> tuple[type, ...]:
    """Return the user's classes that a declaration inherits from: only exceptions need them."""
    return tuple(base for base in _exceptions(kind) if not is_library(base.__module__))


def _exceptions(kind: type) -> Iterator[type]:
    """Yield the bases of an exception by which it is caught."""
    if issubclass(kind, BaseException):
        yield from (base for base in kind.__bases__ if issubclass(base, BaseException))


def _library_bases(kind: type) -> tuple[type, ...]:
    """Return the classes of libraries that a declaration inherits from."""
    if is_named_tuple(kind):
        return ()
    if issubclass(kind, BaseException):
        found = (base for base in _exceptions(kind) if is_library(base.__module__))
        return tuple(_without_torch(base) for base in found)
    if issubclass(kind, Enum):
        return _unrelated(base for base in kind.__mro__ if is_library(base.__module__))
    order = [base for base in kind.__mro__ if issubclass(base, list | dict)]
    return tuple([base for base in order if is_library(base.__module__)][:1])


def _unrelated(kinds: Iterable[type]) -> tuple[type, ...]:
    """Return the classes that none before is a subclass of."""
    found: list[type] = []
    for kind in kinds:
        if not any(issubclass(other, kind) for other in found):
            found.append(kind)
    return tuple(found)


def _without_torch(kind: type) -> type:
    """Return the nearest class that is there without PyTorch."""
    return next(base for base in kind.__mro__ if base.__module__.partition(".")[0] != "torch")


def _decorator(kind: type) -> str:
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
    given = ["init=False"] if issubclass(kind, list | dict) else []
    given += [
        f"{name}={value!r}"
        for name, usual in (("repr", True), ("eq", True), ("order", False), ("frozen", False))
        if (value := getattr(parameters, name)) is not usual
    ]
    # An __init__ of the user's own, or defaults, have no place here: all fields are given.
    return f"@dataclass({', '.join(given)})" if given else "@dataclass"


def _member_lines(kind: type[Enum]) -> list[str]:
    return [f"{name} = {literal_text(item.value)}" for name, item in kind.__members__.items()]


def _field_lines(kind: type) -> list[str]:
    if is_named_tuple(kind):
        return [f"{name}: Any" for name in kind._fields]  # type: ignore[attr-defined]
    if not dataclasses.is_dataclass(kind):
        return []
    return [_field_line(item) for item in dataclasses.fields(kind)]


def _field_line(item: "dataclasses.Field[object]") -> str:
    options = [f"{name}=False" for name in ("repr", "compare") if getattr(item, name) is False]
    made = f" = field({', '.join(options)})" if options else ""
    return f"{item.name}: Any{made}"
