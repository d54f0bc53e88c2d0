"""States as pytrees: a hashable shape, and the leaves that may differ between paths."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import torch

from rewriter.array_samples import is_array
from rewriter.builder import tensor_spec
from rewriter.host_type_relations import TypeToken, sample_kind
from rewriter.host_types import PLAIN
from rewriter.leaves import exact, leaf_key
from rewriter.size_expressions import is_dense_layout, is_fixed, keys_of
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)

SCALAR_TYPES = (bool, int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """What must survive a join."""

    frames: tuple[tuple[int, frozenset[str]], ...]
    """Active frames, and which of their variables may be read later."""
    attributes: tuple[tuple[int, str], ...] = ()
    versions: tuple[str, ...] = ()
    """Tensors written in place on some path, whose content may still be asked for."""
    extra: tuple[Value, ...] = ()
    """Values on their way, such as the results of a call."""
    hints: tuple[str, ...] = ()
    """What the user calls the ``extra`` values, where they have names."""
    held: tuple[IteratorValue | Reference | FunctionValue, ...] = ()
    """Iterators, objects and functions that only a ``for`` or call being evaluated holds."""
    exact: bool = False
    """Whether known numbers must be the same on all paths."""
    loose: bool = False
    """Whether known strings may differ between paths: they become run-time strings."""
    any_size: bool = False
    """Whether sizes may differ between paths: they become symbols."""
    open_sizes: bool = False
    """Whether sizes may differ that are symbols on every path."""


@dataclass(slots=True)
class Flattening:
    """One state seen from its roots, in a fixed order of visit."""

    state: State
    roots: Roots
    shape: list[Hashable] = field(default_factory=list)
    leaves: list[Value] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    objects_at: dict[int, int] = field(default_factory=dict)
    """Heap identities of the mutable objects, by the position in ``shape`` that tells of them."""
    _numbers: dict[int, int] = field(default_factory=dict)
    _frames_seen: set[int] = field(default_factory=set)
    _functions: dict[int, int] = field(default_factory=dict)
    _hint: str = "_value"

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the heap objects in the order in which they were met."""
        return tuple(self._numbers)

    @property
    def frames(self) -> frozenset[int]:
        """Return the frames that were visited: the roots' and those that closures keep."""
        return frozenset(self._frames_seen)

    def run(self) -> "Flattening":
        """Visit everything reachable from the roots; return self."""
        self._frames_seen = {identity for identity, _ in self.roots.frames}
        for value, hint in zip_longest(self.roots.extra, self.roots.hints):
            self._hint = hint or "_value"
            self.visit(value)
        self._hint = "_value"
        for identity, live in self.roots.frames:
            self._visit_frame(identity, live)
        for key in self.roots.attributes:
            self._hint = key[1]
            held = self.state.attributes.get(key)
            self.shape.append((key, held is None))
            if held is not None:
                self.visit(held)
        self._hint = "_value"
        for name in self.roots.versions:
            self.shape.append(name)
            written = self.state.current(self.state.tensor(name))
            self._leaf(self._tensor_shape(written.fake), written)
        for value in (*self.state.handled, *self.roots.held):
            self.visit(value)
        return self

    def _visit_frame(self, identity: int, live: frozenset[str] | None) -> None:
        names = self.state.frames.get(identity, {})
        for name in sorted(names.keys() if live is None else live & names.keys()):
            self._hint = name if name.isidentifier() else "_index"
            self.shape.append((identity, name))
            self.visit(names[name])
        self._hint = "_value"

    def visit(self, value: Value) -> None:
        """Add a value and all it reaches."""
        match value:
            case Known():
                self._visit_known(value)
            case TensorValue() | ScalarValue() | HostValue():
                self._visit_variable(value)
            case TupleValue():
                self.shape.append(("tuple", value.kind, len(value.items)))
                self._visit_all(value.items)
            case Reference() | IteratorValue():
                self._visit_cell(value.identity)
            case ViewValue():
                self.shape.append(("view", value.part))
                self._visit_cell(value.identity)
            case FunctionValue():
                self._visit_function(value)
            case MethodValue():
                self._visit_method(value)
            case SuperValue() | SliceValue() | RunTimeRange():
                self._visit_parts(value)
            case Poison():
                self.shape.append("poison")

    def _visit_variable(self, value: TensorValue | ScalarValue | HostValue) -> None:
        match value:
            case TensorValue():
                self._visit_tensor(self.state.current(value))
            case ScalarValue():
                self._leaf(("scalar", PLAIN if value.plain else value.type), value)
            case HostValue() if is_array(value.sample):
                self._leaf(self._array_shape(value.sample), value)
            case HostValue():
                self._leaf(("host", sample_kind(value.sample)), value)

    def _visit_tensor(self, tensor: TensorValue) -> None:
        home, shape = self.state.home(tensor), self._tensor_shape(tensor.fake)
        if home is None:
            self._leaf(shape, tensor)
            return
        self._leaf((*shape, "written", home.is_of(tensor)), tensor)
        if not home.is_of(tensor):
            whole = self.state.current(home.whole)
            self._leaf(self._tensor_shape(whole.fake), whole)
        self._leaf(("host", sample_kind(home.array.sample)), home.array)

    def _visit_method(self, value: MethodValue) -> None:
        self.shape.append("method")
        self.visit(value.receiver)
        if isinstance(value.function, str):
            self.shape.append(value.function)
        else:
            self.visit(value.function)

    def _visit_parts(self, value: SuperValue | SliceValue | RunTimeRange) -> None:
        match value:
            case SuperValue():
                self.shape.append(("super", value.owner))
                self.visit(value.receiver)
            case SliceValue():
                self.shape.append("slice")
                self._visit_all((value.start, value.stop, value.step))
            case RunTimeRange():
                self.shape.append(("range", value.step, value.stride is None))
                self._visit_all((value.start, value.stop, *_given(value.stride)))

    def _tensor_shape(self, tensor: torch.Tensor) -> tuple[Hashable, ...]:
        """Return what tensors must share to join; views and copies tell their layouts apart."""
        strides = None if is_dense_layout(tensor) else keys_of(tensor.stride())
        shape: Hashable
        if self.roots.any_size:
            shape = tensor.dim()
        elif is_fixed(tensor):
            shape = tuple(tensor.shape)
        elif self.roots.open_sizes:
            shape = tuple(size if isinstance(size, int) else None for size in keys_of(tensor.shape))
        else:
            shape = tensor_spec(tensor).shape
        return ("tensor", tensor.dtype, shape, strides, tensor.is_conj(), tensor.is_neg())

    def _array_shape(self, sample: Any) -> tuple[Hashable, ...]:
        """Return what arrays of the host must share to join."""
        shape: Hashable = sample.shape
        if self.roots.any_size:
            shape = sample.ndim
        return ("array", str(sample.dtype), shape)

    def _leaf(self, token: Hashable, value: Value) -> None:
        self.shape.append(token)
        self.leaves.append(value)
        self.hints.append(self._hint)

    def _visit_known(self, value: Known) -> None:
        content = value.value
        if type(content) in SCALAR_TYPES:
            number = (leaf_key(value),) if self.roots.exact else ()
            self._leaf(("scalar", type(content), *number), value)
        elif isinstance(content, torch.Tensor):
            # a variable may hold no such tensor
            sparse = content.layout is not torch.strided or content.is_quantized
            self._leaf(("known", id(content)) if sparse else self._tensor_shape(content), value)
        elif self.roots.loose and type(content) is str:
            self._leaf(("host", sample_kind("")), value)
        elif content is None or type(content) in (str, bytes, torch.dtype, torch.device):
            self.shape.append(("known", type(content), content))
        elif type(content) is tuple:
            self.shape.append(("tuple", tuple, len(content)))
            self._visit_all(Known(item) for item in content)
        else:
            self.shape.append(("known", id(content)))

    def _visit_function(self, value: FunctionValue) -> None:
        self.shape.append(("function", value.source.node, value.frame_path))
        if id(value) not in self._functions:
            for name, default in value.defaults.items():
                self.shape.append(name)
                self.visit(default)
        self.shape.append(self._functions.setdefault(id(value), len(self._functions)))
        self._visit_captured(*value.frame_path)

    def _visit_cell(self, identity: int) -> None:
        if identity in self._numbers:
            self.shape.append(("cell", self._numbers[identity]))
            return
        self._numbers[identity] = len(self._numbers)
        self.objects_at[len(self.shape)] = identity
        match self.state.heap[identity]:
            case ListCell() as cell:
                named = tuple(cell.attributes)
                self.shape.append(("list", cell.kind, cell.bound, len(cell.items), named))
                self._visit_all((*cell.items, *cell.attributes.values()))
            case DictCell() as cell:
                keys = tuple(map(exact, cell.items))
                self.shape.append(("dict", cell.kind, keys, tuple(cell.attributes)))
                self._visit_all((*cell.items.values(), *_given(cell.default_factory)))
                self._visit_all(cell.attributes.values())
            case RunTimeCell() as cell:
                self._leaf(("run-time", TypeToken(cell.type)), HostValue(cell.name, cell.kind))
                self._visit_all(_given(cell.factory))
            case SetCell() as cell:
                self.shape.append(("set", *map(exact, cell.order)))
            case ObjectCell() as cell:
                self.shape.append(("object", cell.kind, tuple(cell.attributes)))
                self._visit_all(cell.attributes.values())
            case IteratorCell() as cell:
                self.shape.append(("iterator", len(cell.items), cell.source))
                self._visit_all(cell.items)
                if cell.source is not None:
                    self._visit_captured(*cell.source.captured)

    def _visit_captured(self, *identities: int) -> None:
        """Visit the variables of frames that a closure keeps."""
        for identity in identities:
            if identity not in self._frames_seen:
                self._frames_seen.add(identity)
                self._visit_frame(identity, None)

    def _visit_all(self, values: Iterable[Value]) -> None:
        for value in values:
            self.visit(value)


def _given(value: Value | None) -> tuple[Value, ...]:
    return () if value is None else (value,)


def first_difference(left: Flattening, right: Flattening) -> int:
    """Return the first position at which two shapes differ."""
    pairs = enumerate(zip(left.shape, right.shape, strict=False))
    shorter = min(len(left.shape), len(right.shape))
    return next((index for index, (one, other) in pairs if one != other), shorter)
