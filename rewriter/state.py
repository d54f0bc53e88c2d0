"""The state of one path through the program: variables, heap, attributes, current block."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import libcst as cst
import sympy

from rewriter.builder import Builder
from rewriter.diagnostics import DyclBug
from rewriter.gradient_lines import Leaf
from rewriter.homes import Home
from rewriter.known_places import KnownPlaces
from rewriter.program import BlockId
from rewriter.storages import storage_key
from rewriter.values import (
    Cell,
    FunctionValue,
    HostValue,
    IteratorValue,
    MethodValue,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

_Cell = TypeVar("_Cell", bound=Cell)
_SHARING = (
    TensorValue | HostValue | TupleValue | Reference | MethodValue | IteratorValue | ViewValue
    | FunctionValue
)  # fmt: skip
"""Values that are, or hold, run-time tensors or arrays."""


Asking: TypeAlias = Callable[["State", object, bool], None]


@dataclass(slots=True)
class State:
    """Everything that differs between two paths. Mutable, owned by one path; see ``fork``."""

    block: BlockId
    phase: int = 0
    """Which structure of the kept state the call began with (see ``keeping``)."""
    frames: dict[int, dict[str, Value]] = field(default_factory=dict)
    """Local variables of every frame that can still be reached."""
    heap: dict[int, Cell] = field(default_factory=dict)
    attributes: dict[tuple[int, str], Value] = field(default_factory=dict)
    """Attributes of compile-time objects written during the call, by object id and name."""
    facts: dict[str, bool] = field(default_factory=dict)
    """Run-time conditions whose outcome is known on this path, by variable; there are some
    wherever others may have gone another way."""
    size_facts: frozenset[sympy.Basic] = frozenset()
    """Relations between sizes that hold on this path."""
    sizes: dict[sympy.Basic, ScalarValue] = field(default_factory=dict)
    """Host numbers that hold the value of a size symbol on this path."""
    of_lists: dict[tuple[str, str], tuple[int, Value]] = field(default_factory=dict)
    """What was computed of run-time containers (see ``remember``). Never kept at a loop's head."""
    reads: dict[tuple[str, str], Value] = field(default_factory=dict)
    """Attributes of arguments' objects that this path has read, by variable and name."""
    versions: dict[str, TensorValue] = field(default_factory=dict)
    """Tensors written in place: the old variable, and the value that holds the content now.

    A ``TensorValue`` stands for a tensor object; ``current`` gives its content's variable.
    """
    tensors: dict[str, TensorValue] = field(default_factory=dict)
    """The tensor objects that were written in place, by variable; shared by all paths."""
    homes: dict[int, Home] = field(default_factory=dict)
    """Where the host has tensors that its containers hold and that are written, by storage."""
    places: KnownPlaces = field(default_factory=KnownPlaces)
    """What is known of the objects that places hold; shared by all paths."""
    leaves: tuple[Leaf, ...] = ()
    """Tensors that asked for gradients since paths have met."""
    freed: frozenset[str] = frozenset()
    """Variables whose gradients were computed, and what PyTorch kept for that given up."""
    handled: tuple[Value, ...] = ()
    """Exceptions being handled, innermost last (for a bare ``raise``)."""
    asking: "Asking" = lambda state, content, lasts: None
    """Told of what is looked at as a whole, and whether it is the model's; shared by all paths."""
    on_the_way: tuple[Value, ...] = ()
    """Results of the expressions being evaluated, which no variable may hold yet."""

    def fork(self, block: BlockId) -> "State":
        """Return an independent copy that goes on in ``block``."""
        return State(
            block=block,
            phase=self.phase,
            frames={identity: dict(names) for identity, names in self.frames.items()},
            heap=dict(self.heap),
            attributes=dict(self.attributes),
            facts=dict(self.facts),
            size_facts=self.size_facts,
            sizes=dict(self.sizes),
            of_lists=dict(self.of_lists),
            reads=dict(self.reads),
            versions=dict(self.versions),
            tensors=self.tensors,
            homes=dict(self.homes),
            places=self.places,
            asking=self.asking,
            leaves=self.leaves,
            freed=self.freed,
            handled=self.handled,
            on_the_way=self.on_the_way,
        )

    def carry(self, value: Value) -> None:
        """Record that an expression gave a value, until its statement ends."""
        if isinstance(value, _SHARING):
            self.on_the_way = (*self.on_the_way, value)

    def remember(self, name: str, what: str, builder: Builder, value: Value) -> None:
        """Record what was computed of the container that a variable holds."""
        self.of_lists[name, what] = builder.effects, value

    def remembered(self, name: str, what: str, builder: Builder) -> Value | None:
        """Return what was computed of a container before, unless an effect may have changed it."""
        effects, value = self.of_lists.get((name, what), (None, None))
        return value if effects == builder.effects else None

    def cell(self, reference: Reference, kind: type[_Cell]) -> _Cell:
        """Return the content of a mutable object that is of a kind, as the caller has seen."""
        found = self.heap[reference.identity]
        if not isinstance(found, kind):
            raise DyclBug(f"a {kind.__name__} became a {type(found).__name__}")
        return found

    def tensor(self, name: str) -> TensorValue:
        """Return the tensor object that was written in place under a variable."""
        return self.tensors[name]

    def home(self, tensor: TensorValue) -> Home | None:
        """Return where the host has a tensor, None where no container holds it to be written."""
        return self.homes.get(storage_key(tensor.fake)) if self.homes else None

    def rename(self, old: TensorValue, new: TensorValue) -> None:
        """Record that the content of a tensor object is called by another variable now."""
        self.tensors[old.name] = old
        self.versions[old.name] = new

    def current(self, value: TensorValue) -> TensorValue:
        """Return the value under which a tensor's content is known after in-place writes."""
        while value.name in self.versions:
            value = self.versions[value.name]
        return value


@dataclass(frozen=True, slots=True)
class Next:
    """The statement ended; go on after it."""

    state: State


@dataclass(frozen=True, slots=True)
class Returned:
    """The function returned a value, at a node of its tree."""

    state: State
    value: Value
    node: cst.CSTNode | None = None


@dataclass(frozen=True, slots=True)
class Broke:
    """``break`` was reached."""

    state: State


@dataclass(frozen=True, slots=True)
class Continued:
    """``continue`` was reached."""

    state: State


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception was raised; ``exception`` is a Known exception or a heap object."""

    state: State
    exception: Value
    node: cst.CSTNode | None = None


Completion = Next | Returned | Broke | Continued | Raised
