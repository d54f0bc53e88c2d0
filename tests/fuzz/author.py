"""The author of a random program: its dice, the names in scope, and where it stands."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from tests.fuzz.kinds import (
    DictKind,
    FunctionKind,
    Kind,
    ListKind,
    ModuleKind,
    ScalarKind,
    Scope,
    TensorKind,
    TupleKind,
    joined,
)

T = TypeVar("T")
Lines: TypeAlias = list[str]


@dataclass(slots=True)
class Author:
    """Everything that the rules read and change while they write one program."""

    dice: random.Random
    scope: Scope
    rules: "Sequence[tuple[float, Rule]]"
    """The statements that the program may be made of, by weight."""
    result: Kind | None = None
    """What the function being written must return; None where it is free."""
    in_module: bool = False
    budget: int = 14
    """Statements that may still be begun."""
    depth: int = 0
    """Nested blocks around the current place."""
    loops: int = 0
    """Loops around the current place in this function."""
    functions: int = 0
    """Functions being written around the current place."""
    rebindable: dict[str, Kind] = field(default_factory=dict)
    """Names that a loop around carries: they keep their kind."""
    ended: bool = False
    """Whether the flow left the block that is being written."""
    protected: int = 0
    """Try blocks around the current place that catch the program's own exceptions."""
    counters: dict[str, int] = field(default_factory=dict)
    cells: "itertools.count[int]" = field(default_factory=itertools.count)
    attributes: dict[str, Kind] = field(default_factory=dict)
    """Attributes of ``self`` written earlier on every path of this call."""
    submodules: tuple[str, ...] = ()
    """Expressions of the modules that map rows to rows."""

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return self.dice.random() < probability

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.dice.randrange(len(options))]

    def weighted(self, options: Sequence[tuple[float, T]]) -> T:
        """Return one of the options, by weight."""
        return self.dice.choices([o for _, o in options], [w for w, _ in options])[0]

    def fresh(self, stem: str) -> str:
        """Return a name that the program has not used."""
        number = self.counters[stem] = self.counters.get(stem, 0) + 1
        return stem if number == 1 else f"{stem}{number}"

    def target(self, kind: Kind, rebind: float = 0.5) -> str:
        """Return a name to assign a value of a kind to: one that holds such a value, or a new one.

        The caller binds it once the value's expression is written.
        """
        same = [n for n, k in self.scope.names.items() if k == kind and n not in self.scope.fixed]
        if same and self.chance(rebind):
            return self.pick(same)
        other = [n for n in self.scope.names if n not in self.scope.fixed | set(self.rebindable)]
        if other and self.chance(0.04):
            return self.pick(other)
        return self.fresh(stem_of(kind))

    def bind(self, name: str, kind: Kind) -> None:
        """Note that a name holds a value of a kind from here on."""
        self.scope.names[name] = kind

    def new_list(self, element: Kind, size: int) -> ListKind:
        """Return the kind of a list made here."""
        cell = next(self.cells)
        self.scope.sizes[cell] = size
        return ListKind(element, cell)

    def new_dict(self, value: Kind, keys: tuple[str, ...]) -> DictKind:
        """Return the kind of a dict made here."""
        cell = next(self.cells)
        self.scope.keys[cell] = keys
        return DictKind(value, cell)

    def named(self, accept: Callable[[Kind], bool]) -> list[tuple[str, Kind]]:
        """Return the names whose kind is accepted."""
        return [(n, k) for n, k in self.scope.names.items() if accept(k)]

    def reads(self, kind: Kind) -> list[str]:
        """Return expressions that read a stored value of a kind."""
        named = [
            text
            for name, held in self.scope.names.items()
            for text in self._reads(name, held, kind)
        ]
        return named + [f"self.{name}" for name, held in self.attributes.items() if held == kind]

    def _reads(self, name: str, held: Kind, kind: Kind) -> Iterator[str]:
        if held == kind:
            yield name
            yield name
        elif isinstance(held, ListKind) and held.element == kind and self.scope.sizes[held.cell]:
            yield f"{name}[{self.pick([0, -1, self.scope.sizes[held.cell] - 1])}]"
        elif isinstance(held, DictKind) and held.value == kind:
            yield from (f"{name}[{key!r}]" for key in self.scope.keys[held.cell])
        elif isinstance(held, TupleKind):
            yield from (f"{name}[{i}]" for i, item in enumerate(held.items) if item == kind)

    def modules(self) -> list[str]:
        """Return expressions of the submodules at hand."""
        return [*self.submodules, *(n for n, k in self.scope.names.items() if k == ModuleKind())]

    def callables(self, kind: Kind) -> list[tuple[str, FunctionKind]]:
        """Return the functions in scope that give a value of a kind."""
        return [
            (n, k)
            for n, k in self.scope.names.items()
            if isinstance(k, FunctionKind) and k.result == kind
        ]

    def block(self, most: int) -> Lines:
        """Write up to ``most`` statements; stops where the flow leaves."""
        lines: Lines = []
        for _ in range(most):
            if self.ended or self.budget <= 0:
                break
            self.budget -= 1
            lines += self._statement()
        return lines

    def _statement(self) -> Lines:
        while True:
            lines = self.weighted(self.rules)(self)
            if lines is not None:
                return lines

    def arm(self, write: Callable[[], Lines]) -> tuple[Lines, Scope | None]:
        """Write a block that runs on some paths only; return it and its scope, None if it left."""
        before, attributes = self.scope, dict(self.attributes)
        self.scope, self.ended = before.fork(), False
        self.depth += 1
        lines = write() or ["pass"]
        after = None if self.ended else self.scope
        self.depth -= 1
        self.scope, self.ended, self.attributes = before, False, attributes
        return lines, after

    def join(self, scopes: Sequence[Scope | None]) -> None:
        """Go on with what holds on all paths; without any, the block has ended."""
        live = [scope for scope in scopes if scope is not None]
        if live:
            self.scope = joined(live, self.cells)
        else:
            self.ended = True


Rule: TypeAlias = Callable[[Author], Lines | None]
"""Writes one statement, or None where it does not apply."""


def stem_of(kind: Kind) -> str:
    """Return the beginning of a name for a value of a kind."""
    match kind:
        case TensorKind(shape=shape):
            return {2: "h", 1: "row", 0: "total"}[len(shape)]
        case ScalarKind(type=name):
            return {"int": "n", "float": "f", "bool": "ok", "str": "text"}[name]
        case ListKind():
            return "items"
        case DictKind():
            return "table"
        case TupleKind():
            return "pair"
        case FunctionKind():
            return "compute"
        case _:
            return "layer"


def indented(lines: Lines) -> Lines:
    """Return lines one level deeper."""
    return ["    " + line for line in lines]
