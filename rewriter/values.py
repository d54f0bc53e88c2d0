"""Binding-time values: what the evaluator knows about each object of the program.

One small frozen class each (DESIGN: ``Known``, ``TensorValue``, ``ScalarValue``,
``Structure``, run-time containers). Mutable objects made by the program live in the
heap of a ``State``; a value points at them by ``Reference``, so that two names for one
list stay two names for one list.
"""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from rewriter.closure import Closure
from rewriter.host_types import ContainerType
from rewriter.set_history import SetHistory

Memory: TypeAlias = frozenset[tuple[object, int]]
"""Where arrays were made: the expression, and how often it had made one before."""

FOREIGN: Memory = frozenset({("", 0)})
"""The memory of arguments, of the model, of tensors and of known arrays: it is not written."""

IN_CONTAINERS: Memory = frozenset({("containers", 0)})
"""The memory of all arrays in containers known only at run time that are written there."""

if TYPE_CHECKING:
    from rewriter.evaluation.containers.lazy_iterators import LazySource
    from rewriter.source import FunctionSource


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The object itself, at compile time, and the expression that reaches it."""

    value: Any
    path: str | None = None

    def __repr__(self) -> str:
        return f"Known({self.path or self.value!r})"


@dataclass(frozen=True, slots=True, eq=False)
class TensorValue:
    """A run-time tensor: residual variable and fake tensor (shape, dtype, strides, storage).

    Two values with the same variable hold the same tensor object.
    """

    name: str
    fake: torch.Tensor
    constant: torch.Tensor | None = None
    """The real tensor where it depends on no input; never written to."""


@dataclass(frozen=True, slots=True, eq=False)
class ScalarValue:
    """A run-time number on the host. ``type`` is None where it may be of several types."""

    name: str
    type: type | None
    size: "torch.SymInt | None" = None
    """For integers: the expression over sizes that it is known to equal, where one is."""
    plain: bool = False
    """Where ``type`` is None: whether it is certainly an integer or float of Python's own."""


@dataclass(frozen=True, slots=True, eq=False)
class HostValue:
    """Any other run-time object on the host: a numpy array, a string.

    ``sample`` is an object of the same type, and for arrays of the same dtype and
    shape, whose content means nothing: host operations are tried on it to learn the
    type of their result. For an array whose size is known only at run time it is an
    ``OpenArray``.
    """

    name: str
    sample: object
    memory: Memory | None = None
    """Where the memory of an array was made; None where it may be any, as that of elements of
    run-time containers."""
    forward: bool = False
    """Whether an array certainly lies forwards in memory: no tensor is made of ``a[::-1]``."""
    alike: bool = False
    """Whether an array certainly lies in memory on the host as in the original.

    What ``x.T.numpy()`` gives does not: which views of it are copies differs."""
    laid: bool = False
    """Whether an array certainly lies in memory as its sample does in the original, by rows where
    that is open."""


@dataclass(frozen=True, slots=True, eq=False)
class TupleValue:
    """A tuple of values. ``kind`` is ``tuple`` or a named tuple's class."""

    items: "tuple[Value, ...]"
    kind: type = tuple


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A mutable object of the program, by its identity in the heap."""

    identity: int


@dataclass(frozen=True, slots=True, eq=False)
class FunctionValue:
    """A function or lambda defined by evaluated code, closed over evaluated frames."""

    source: "FunctionSource"
    frame_path: tuple[int, ...]
    """Identities of the lexically enclosing frames, innermost first."""
    defaults: "Mapping[str, Value]"
    globals: dict[str, object] = field(repr=False)
    closure: Closure = field(repr=False, default_factory=Closure)


@dataclass(frozen=True, slots=True, eq=False)
class MethodValue:
    """A function bound to a receiver: a user's method, or ``x.view`` of a run-time tensor.

    ``function`` is the name of the method for tensors, heap containers and host values.
    """

    receiver: "Value"
    function: "FunctionValue | Known | str"


@dataclass(frozen=True, slots=True, eq=False)
class SuperValue:
    """``super()`` inside an evaluated method."""

    owner: type
    receiver: "Value"


@dataclass(frozen=True, slots=True, eq=False)
class SliceValue:
    """``start:stop:step`` with parts that may be run-time values."""

    start: "Value"
    stop: "Value"
    step: "Value"


@dataclass(frozen=True, slots=True, eq=False)
class IteratorValue:
    """What ``zip``, ``enumerate``, ``reversed`` or ``iter`` gave: the items still to come.

    Items are fixed when it is made; position lives in the heap cell it refers to.
    """

    identity: int


@dataclass(frozen=True, slots=True, eq=False)
class RunTimeRange:
    """``range(start, stop, step)`` with an end known only at run time."""

    start: "Value"
    stop: "Value"
    step: int
    stride: "ScalarValue | None" = None
    """The step where it is known only at run time; ``step`` is 1 or -1 then, as its sign."""


@dataclass(frozen=True, slots=True, eq=False)
class ViewValue:
    """``d.keys()``, ``d.values()`` or ``d.items()`` of a dict of the program: a live window."""

    identity: int
    part: str
    """``keys``, ``values`` or ``items``."""


@dataclass(frozen=True, slots=True, eq=False)
class Poison:
    """The result of a statement that was refused: using it says nothing new."""


Value: TypeAlias = (
    Known
    | TensorValue
    | ScalarValue
    | HostValue
    | TupleValue
    | Reference
    | FunctionValue
    | MethodValue
    | SuperValue
    | SliceValue
    | IteratorValue
    | ViewValue
    | RunTimeRange
    | Poison
)

NONE = Known(None)


def is_none(value: Value) -> bool:
    """Return whether a value is certainly None."""
    return isinstance(value, Known) and value.value is None


# --- heap cells: the content of mutable objects; replaced, never changed -----------------


@dataclass(frozen=True, slots=True, eq=False)
class ListCell:
    """A list of known length. ``kind`` may be a subclass of list or ``collections.deque``."""

    items: tuple[Value, ...]
    kind: type = list
    attributes: Mapping[str, Value] = field(default_factory=dict)
    """What an instance of the user's class has besides its items."""
    bound: int | None = None
    """``maxlen`` of a deque."""


@dataclass(frozen=True, slots=True, eq=False)
class RunTimeCell:
    """A mutable object, or a tuple of any length, that exists at run time only."""

    name: str
    """Residual variable that holds the object."""
    type: ContainerType
    factory: Value | None = None
    """What makes the missing values of a ``defaultdict``."""

    @property
    def kind(self) -> builtins.type:
        """Return the object's class as the program sees it."""
        return self.type.kind


@dataclass(frozen=True, slots=True, eq=False)
class DictCell:
    """A dict with known keys, in insertion order."""

    items: Mapping[Any, Value]
    kind: type = dict
    default_factory: Value | None = None
    attributes: Mapping[str, Value] = field(default_factory=dict)
    """What an instance of the user's class has besides its items."""


@dataclass(frozen=True, slots=True, eq=False)
class SetCell:
    """A set of objects known at compile time."""

    items: frozenset[object]
    kind: type = set
    history: SetHistory = field(default_factory=SetHistory)
    order: tuple[object, ...] = ()
    """The items as Python walks them."""


def set_cell(history: SetHistory) -> SetCell:
    """Return the content of a set that came about in a way."""
    order = tuple(history.replayed())
    return SetCell(frozenset(order), set, history, order)


@dataclass(frozen=True, slots=True, eq=False)
class ObjectCell:
    """An instance of a user's class made during the call."""

    kind: type
    attributes: Mapping[str, Value]


Instance: TypeAlias = ObjectCell | ListCell | DictCell
"""What may have attributes; lists and dicts where they are of a class of the user's."""


def with_attribute(cell: Instance, name: str, value: Value) -> Instance:
    """Return the content of an object with an attribute set."""
    return replace(cell, attributes={**cell.attributes, name: value})


@dataclass(frozen=True, slots=True, eq=False)
class IteratorCell:
    """The items an iterator has still to give.

    ``source`` is set where an item is worked out when it is asked for (see
    ``lazy_iterators``): ``items`` are then the values that it works with.
    """

    items: tuple[Value, ...]
    source: "LazySource | None" = None


Cell: TypeAlias = ListCell | RunTimeCell | DictCell | SetCell | ObjectCell | IteratorCell
