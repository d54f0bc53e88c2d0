"""What the generator knows of the values of a program: their kinds, and which names hold them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorKind:
    """A tensor of fixed shape."""

    shape: Shape
    element: Literal["float", "int"] = "float"


@dataclass(frozen=True, slots=True)
class ScalarKind:
    """A Python number or string."""

    type: Literal["int", "float", "bool", "str"]


@dataclass(frozen=True, slots=True)
class ListKind:
    """A list of like elements. ``cell`` names the object: two names may hold one list."""

    element: "Kind"
    cell: int


@dataclass(frozen=True, slots=True)
class DictKind:
    """A dict from short strings to like values."""

    value: "Kind"
    cell: int


@dataclass(frozen=True, slots=True)
class TupleKind:
    """A tuple of known length."""

    items: "tuple[Kind, ...]"


@dataclass(frozen=True, slots=True)
class FunctionKind:
    """A function: kinds of its required parameters, of those with a default, of its result."""

    required: "tuple[Kind, ...]"
    optional: "tuple[tuple[str, Kind], ...]"
    rest: "Kind | None"
    result: "Kind"


@dataclass(frozen=True, slots=True)
class ModuleKind:
    """A submodule that maps a tensor of three features to one of three."""


Kind: TypeAlias = (
    TensorKind | ScalarKind | ListKind | DictKind | TupleKind | FunctionKind | ModuleKind
)

INT: Kind = ScalarKind("int")
FLOAT: Kind = ScalarKind("float")
BOOL: Kind = ScalarKind("bool")
STR: Kind = ScalarKind("str")
MATRIX: Kind = TensorKind((2, 3))
ROW: Kind = TensorKind((3,))
PAIR: Kind = TensorKind((2,))
SINGLE: Kind = TensorKind(())
TOKENS: Kind = TensorKind((4,), "int")


@dataclass(slots=True)
class Scope:
    """The names bound at a point of a function, and what is known of the containers."""

    names: dict[str, Kind]
    fixed: set[str] = field(default_factory=set)
    """Names of enclosing functions: read, never bound here."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Least length of each list."""
    keys: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Keys that each dict surely has."""
    maybe: dict[str, Kind] = field(default_factory=dict)
    """Names bound on some paths only."""

    def fork(self) -> "Scope":
        """Return an independent copy, for one arm."""
        return Scope(
            dict(self.names), set(self.fixed), dict(self.sizes), dict(self.keys), dict(self.maybe)
        )


def joined(scopes: Iterable[Scope], fresh_cell: Iterable[int]) -> Scope:
    """Return what holds after a join of paths."""
    first, *others = scopes
    cells = iter(fresh_cell)
    result = first.fork()
    for other in others:
        for cell in set(result.sizes) | set(other.sizes):
            result.sizes[cell] = min(result.sizes.get(cell, 0), other.sizes.get(cell, 0))
        for cell in set(result.keys) | set(other.keys):
            both = result.keys.get(cell, ()), other.keys.get(cell, ())
            result.keys[cell] = tuple(key for key in both[0] if key in both[1])
        result.maybe |= other.maybe | result.names | other.names
        names = dict(result.names)
        result.names = {}
        for name, kind in names.items():
            if name in other.names:
                kept = _joined_kind(kind, other.names[name], result, cells)
                if kept is not None:
                    result.names[name] = kept
    result.maybe = {n: k for n, k in result.maybe.items() if n not in result.names}
    return result


def _joined_kind(one: Kind, two: Kind, scope: Scope, cells: Iterable[int]) -> Kind | None:
    if one == two:
        return one
    if isinstance(one, ListKind) and isinstance(two, ListKind) and one.element == two.element:
        cell = next(iter(cells))
        scope.sizes[cell] = min(scope.sizes.get(one.cell, 0), scope.sizes.get(two.cell, 0))
        return ListKind(one.element, cell)
    if isinstance(one, DictKind) and isinstance(two, DictKind) and one.value == two.value:
        cell = next(iter(cells))
        both = scope.keys.get(one.cell, ()), scope.keys.get(two.cell, ())
        scope.keys[cell] = tuple(key for key in both[0] if key in both[1])
        return DictKind(one.value, cell)
    return None
