"""States as pytrees: a hashable shape, and the leaves that may differ between paths."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

from rewriter.builder import tensor_spec
from rewriter.state import State
from rewriter.values import (
    Cell,
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
    RunTimeListCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
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
    loose: bool = False
    """Whether known strings may differ between paths: they become run-time strings."""


@dataclass(slots=True)
class Flattening:
    """One state seen from its roots, in a fixed order of visit."""

    state: State
    roots: Roots
    shape: list[Hashable] = field(default_factory=list)
    leaves: list[Value] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    _frames_seen: set[int] = field(default_factory=set)
    _hint: str = "_value"

    def run(self) -> "Flattening":
        """Visit everything reachable from the roots; return self."""
        self._frames_seen = {identity for identity, _ in self.roots.frames}
        for value in self.roots.extra:
            self.visit(value)
        for identity, live in self.roots.frames:
            self._visit_frame(identity, live)
        for key in self.roots.attributes:
            self._hint = key[1]
            self.shape.append(key)
            self.visit(self.state.attributes[key])
        self._hint = "_value"
        for name in self.roots.versions:
            self.shape.append(name)
            self.visit(self.state.tensor(name))
        for value in self.state.handled:
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
            case TensorValue():
                current = self.state.current(value)
                self._leaf(_tensor_shape(current.fake), current)
            case ScalarValue():
                self._leaf(("scalar", value.type), value)
            case HostValue():
                self._leaf(("host", *_sample_shape(value.sample)), value)
            case TupleValue():
                self.shape.append(("tuple", value.kind, len(value.items)))
                self._visit_all(value.items)
            case Reference() | IteratorValue():
                self._visit_cell(value.identity)
            case FunctionValue():
                self._visit_function(value)
            case MethodValue():
                self.shape.append("method")
                self.visit(value.receiver)
                if isinstance(value.function, str):
                    self.shape.append(value.function)
                else:
                    self.visit(value.function)
            case SuperValue():
                self.shape.append(("super", value.owner))
                self.visit(value.receiver)
            case SliceValue():
                self.shape.append("slice")
                self._visit_all((value.start, value.stop, value.step))
            case RunTimeRange():
                self.shape.append(("range", value.step))
                self._visit_all((value.start, value.stop))
            case Poison():
                self.shape.append("poison")

    def _leaf(self, token: Hashable, value: Value) -> None:
        self.shape.append(token)
        self.leaves.append(value)
        self.hints.append(self._hint)

    def _visit_known(self, value: Known) -> None:
        content = value.value
        if type(content) in SCALAR_TYPES:
            self._leaf(("scalar", type(content)), value)
        elif isinstance(content, torch.Tensor):
            self._leaf(_tensor_shape(content), value)
        elif self.roots.loose and type(content) is str:
            self._leaf(("host", str, "", None), value)
        elif content is None or type(content) in (str, bytes, torch.dtype, torch.device):
            self.shape.append(("known", type(content), content))
        elif type(content) is tuple:
            self.shape.append(("tuple", tuple, len(content)))
            self._visit_all(Known(item) for item in content)
        else:
            self.shape.append(("known", id(content)))

    def _visit_function(self, value: FunctionValue) -> None:
        self.shape.append(("function", value.source.node, value.frame_path))
        for name, default in value.defaults.items():
            self.shape.append(name)
            self.visit(default)
        self._visit_captured(*value.frame_path)

    def _visit_cell(self, identity: int) -> None:
        if identity in self._numbers:
            self.shape.append(("cell", self._numbers[identity]))
            return
        self._numbers[identity] = len(self._numbers)
        match self.state.heap[identity]:
            case ListCell() as cell:
                self.shape.append(("list", cell.kind, len(cell.items)))
                self._visit_all(cell.items)
            case DictCell() as cell:
                self.shape.append(("dict", cell.kind, tuple(cell.items)))
                self._visit_all(cell.items.values())
                if cell.default_factory is not None:
                    self.visit(cell.default_factory)
            case RunTimeListCell() as cell:
                self._leaf(("run-time list", self._element_shape(cell)), HostValue(cell.name, []))
            case SetCell() as cell:
                self.shape.append(("set", cell.items))
            case ObjectCell() as cell:
                self.shape.append(("object", cell.kind, tuple(cell.attributes)))
                self._visit_all(cell.attributes.values())
            case IteratorCell() as cell:
                self.shape.append(("iterator", len(cell.items), id(cell.rows)))
                self._visit_all(cell.items)
                if cell.rows is not None:
                    frame = cell.rows.frame
                    self._visit_captured(frame.identity, *(f.identity for f in frame.lexical))

    def _element_shape(self, cell: RunTimeListCell) -> Hashable:
        if cell.element is None:
            return None
        roots = Roots(frames=(), extra=(cell.element,))
        return tuple(Flattening(self.state, roots).run().shape)

    def _visit_captured(self, *identities: int) -> None:
        """Visit the variables of frames that a closure keeps."""
        for identity in identities:
            if identity not in self._frames_seen:
                self._frames_seen.add(identity)
                self._visit_frame(identity, None)

    def _visit_all(self, values: Iterable[Value]) -> None:
        for value in values:
            self.visit(value)


def _tensor_shape(tensor: torch.Tensor) -> tuple[Hashable, ...]:
    """Return what tensors must share to join; views and copies tell strides apart."""
    spec = tensor_spec(tensor)
    strides = None if tensor.is_contiguous() else tensor.stride()
    return ("tensor", spec.dtype, spec.shape, strides)


def _sample_shape(sample: object) -> tuple[Hashable, ...]:
    return (type(sample), str(getattr(sample, "dtype", "")), getattr(sample, "shape", None))


def substitute(
    flattening: Flattening, leaves: Sequence[Value], block: int
) -> tuple[State, tuple[Value, ...]]:
    """Return the flattened state with other leaves, and its extra values.

    Variables that were not visited are left out; the heap holds what was visited.
    """
    rebuilding = _Rebuilding(flattening.state, iter(leaves), flattening.roots.loose)
    roots, old = flattening.roots, flattening.state
    rebuilding.frames = {identity: {} for identity, _ in roots.frames}
    extra = tuple(rebuilding.value(value) for value in roots.extra)
    for identity, live in roots.frames:
        rebuilding.frame(identity, live)
    attributes = {key: rebuilding.value(old.attributes[key]) for key in roots.attributes}
    versions = {name: rebuilding.tensor(name) for name in roots.versions}
    handled = tuple(rebuilding.value(value) for value in old.handled)
    state = State(
        block=block,
        frames=rebuilding.frames,
        heap=rebuilding.heap,
        attributes=attributes,
        facts=dict(old.facts),
        versions={name: value for name, value in versions.items() if value.name != name},
        tensors=old.tensors,
        handled=handled,
        on_the_way=old.on_the_way,
    )
    return state, extra


@dataclass(slots=True)
class _Rebuilding:
    """Visits in the same order as ``Flattening`` and puts new leaves in place."""

    old: State
    leaves: Iterator[Value]
    loose: bool = False
    heap: dict[int, Cell] = field(default_factory=dict)
    frames: dict[int, dict[str, Value]] = field(default_factory=dict)

    def frame(self, identity: int, live: frozenset[str] | None) -> None:
        names = self.old.frames.get(identity, {})
        self.frames[identity] = {}
        for name in sorted(names.keys() if live is None else live & names.keys()):
            self.frames[identity][name] = self.value(names[name])

    def tensor(self, name: str) -> TensorValue:
        value = self.value(self.old.tensor(name))
        assert isinstance(value, TensorValue)
        return value

    def value(self, value: Value) -> Value:
        match value:
            case TensorValue() | ScalarValue() | HostValue():
                return next(self.leaves)
            case Known():
                return self._known(value)
            case TupleValue():
                return TupleValue(tuple(map(self.value, value.items)), value.kind)
            case Reference() | IteratorValue():
                self._cell(value.identity)
                return value
            case FunctionValue():
                return self._function(value)
            case MethodValue():
                receiver = self.value(value.receiver)
                function = value.function
                if not isinstance(function, str):
                    rebuilt = self.value(function)
                    assert isinstance(rebuilt, Known | FunctionValue)
                    function = rebuilt
                return MethodValue(receiver, function)
            case SuperValue():
                return SuperValue(value.owner, self.value(value.receiver))
            case SliceValue():
                return SliceValue(
                    self.value(value.start), self.value(value.stop), self.value(value.step)
                )
            case RunTimeRange():
                return RunTimeRange(self.value(value.start), self.value(value.stop), value.step)
            case Poison():
                return value

    def _known(self, value: Known) -> Value:
        content = value.value
        if type(content) in SCALAR_TYPES or isinstance(content, torch.Tensor):
            return next(self.leaves)
        if self.loose and type(content) is str:
            return next(self.leaves)
        if type(content) is not tuple:
            return value
        items = tuple(self.value(Known(item)) for item in content)
        if all(
            isinstance(item, Known) and item.value is old
            for item, old in zip(items, content, strict=True)
        ):
            return value
        return TupleValue(items)

    def _function(self, value: FunctionValue) -> FunctionValue:
        defaults = {name: self.value(default) for name, default in value.defaults.items()}
        self._captured(*value.frame_path)
        return FunctionValue(
            value.source, value.frame_path, defaults, value.globals, value.closure
        )

    def _captured(self, *identities: int) -> None:
        for identity in identities:
            if identity not in self.frames:
                self.frame(identity, None)

    def _cell(self, identity: int) -> None:
        if identity in self.heap:
            return
        cell = self.old.heap[identity]
        self.heap[identity] = cell
        match cell:
            case ListCell():
                self.heap[identity] = ListCell(tuple(map(self.value, cell.items)), cell.kind)
            case DictCell():
                items = {key: self.value(item) for key, item in cell.items.items()}
                factory = cell.default_factory
                self.heap[identity] = DictCell(
                    items, cell.kind, None if factory is None else self.value(factory)
                )
            case SetCell():
                return
            case RunTimeListCell():
                leaf = next(self.leaves)
                assert isinstance(leaf, HostValue)
                self.heap[identity] = RunTimeListCell(leaf.name, cell.element)
            case ObjectCell():
                attributes = {name: self.value(item) for name, item in cell.attributes.items()}
                self.heap[identity] = ObjectCell(cell.kind, attributes)
            case IteratorCell():
                self.heap[identity] = IteratorCell(tuple(map(self.value, cell.items)), cell.rows)
                if cell.rows is not None:
                    frame = cell.rows.frame
                    self._captured(frame.identity, *(f.identity for f in frame.lexical))


def settle(state: State, frames: tuple[tuple[int, frozenset[str]], ...]) -> None:
    """Let every name hold its tensor's current content, and forget what nothing reaches.

    Only valid between statements of the outermost frame, and where no value is on its way.
    """
    if not state.versions or state.on_the_way:
        return
    heap = refresh(state, frames)
    state.heap = heap
    state.versions = {}


def refresh(
    state: State, frames: tuple[tuple[int, frozenset[str]], ...]
) -> dict[int, Cell]:
    """Let every name hold its tensor's current content; return the heap that names reach."""
    roots = Roots(frames=frames, attributes=tuple(state.attributes))
    flattening = Flattening(state, roots).run()
    new, _ = substitute(flattening, flattening.leaves, state.block)
    state.frames, state.heap = new.frames, {**state.heap, **new.heap}
    state.attributes, state.handled = new.attributes, new.handled
    return new.heap
