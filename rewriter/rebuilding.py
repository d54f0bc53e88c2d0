"""States rebuilt with other leaves, and names made to hold their tensors' current content."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch

from rewriter.flattening import SCALAR_TYPES, Flattening, Roots
from rewriter.homes import Home
from rewriter.state import State
from rewriter.storages import storage_key
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


def substitute(
    flattening: Flattening,
    leaves: Sequence[Value],
    block: int,
    place: Callable[[int], int] = int,
) -> tuple[State, tuple[Value, ...]]:
    """Return the flattened state with other leaves, and its extra values.

    Variables that were not visited are left out; the heap holds what was visited. ``place``
    gives the identities that heap objects get, by those that they had.
    """
    rebuilding = _Rebuilding(flattening.state, iter(leaves), flattening.roots.loose, place)
    roots, old = flattening.roots, flattening.state
    rebuilding.frames = {identity: {} for identity, _ in roots.frames}
    extra = tuple(rebuilding.value(value) for value in roots.extra)
    for identity, live in roots.frames:
        rebuilding.frame(identity, live)
    attributes = {
        key: rebuilding.value(old.attributes[key])
        for key in roots.attributes
        if key in old.attributes
    }
    versions = {name: rebuilding.tensor(name) for name in roots.versions}
    handled = tuple(rebuilding.value(value) for value in old.handled)
    for value in roots.held:
        rebuilding.value(value)
    state = State(
        block=block,
        phase=old.phase,
        frames=rebuilding.frames,
        heap=rebuilding.heap,
        attributes=attributes,
        facts=dict(old.facts),
        size_facts=old.size_facts,
        sizes=dict(old.sizes),
        reads={
            key: value
            for key, value in old.reads.items()
            if not isinstance(value, Reference | TupleValue)
        },
        versions={name: value for name, value in versions.items() if value.name != name},
        tensors=old.tensors,
        homes={**_other_homes(old, versions), **rebuilding.homes},
        places=old.places,
        asking=old.asking,
        handled=handled,
        on_the_way=old.on_the_way,
    )
    return state, extra


def _other_homes(old: State, versions: Mapping[str, TensorValue]) -> dict[int, Home]:
    """Return where the host has tensors that nothing but a half-evaluated expression holds."""
    return {
        key: home
        if home.whole.name in versions or home.whole.name not in old.versions
        else replace(home, whole=old.current(home.whole))
        for key, home in old.homes.items()
    }


@dataclass(slots=True)
class _Rebuilding:
    """Visits in the same order as ``Flattening`` and puts new leaves in place."""

    old: State
    leaves: Iterator[Value]
    loose: bool = False
    place: Callable[[int], int] = int
    heap: dict[int, Cell] = field(default_factory=dict)
    frames: dict[int, dict[str, Value]] = field(default_factory=dict)
    functions: dict[int, FunctionValue] = field(default_factory=dict)
    """Two names for one function stay two names for one."""

    def frame(self, identity: int, live: frozenset[str] | None) -> None:
        names = self.old.frames.get(identity, {})
        self.frames[identity] = {}
        for name in sorted(names.keys() if live is None else live & names.keys()):
            self.frames[identity][name] = self.value(names[name])

    homes: dict[int, Home] = field(default_factory=dict)
    """Homes of the tensors that were visited, by their storages."""

    def tensor(self, name: str) -> TensorValue:
        value = next(self.leaves)
        assert isinstance(value, TensorValue)
        return value

    def value(self, value: Value) -> Value:
        match value:
            case TensorValue() | ScalarValue() | HostValue():
                return self._variable(value)
            case Known():
                return self._known(value)
            case TupleValue():
                return TupleValue(tuple(map(self.value, value.items)), value.kind)
            case Reference() | IteratorValue() | ViewValue():
                self._cell(value.identity)
                return replace(value, identity=self.place(value.identity))
            case FunctionValue():
                return self._function(value)
            case MethodValue():
                return self._method(value)
            case SuperValue():
                return SuperValue(value.owner, self.value(value.receiver))
            case SliceValue() | RunTimeRange():
                return self._bounds(value)
            case Poison():
                return value

    def _variable(self, value: TensorValue | ScalarValue | HostValue) -> Value:
        made = next(self.leaves)
        if not isinstance(value, TensorValue) or not self.old.homes:
            return made
        current = self.old.current(value)
        home = self.old.home(current)
        if home is not None:
            whole = made if home.is_of(current) else next(self.leaves)
            array = next(self.leaves)
            assert isinstance(whole, TensorValue) and isinstance(array, HostValue)
            self.homes[storage_key(whole.fake)] = Home(array, whole, home.lent)
        return made

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

    def _method(self, value: MethodValue) -> MethodValue:
        receiver = self.value(value.receiver)
        function = value.function
        if isinstance(function, str):
            return MethodValue(receiver, function)
        rebuilt = self.value(function)
        assert isinstance(rebuilt, Known | FunctionValue)
        return MethodValue(receiver, rebuilt)

    def _bounds(self, value: SliceValue | RunTimeRange) -> Value:
        start, stop = self.value(value.start), self.value(value.stop)
        if isinstance(value, RunTimeRange):
            stride = None if value.stride is None else self.value(value.stride)
            assert stride is None or isinstance(stride, ScalarValue)
            return RunTimeRange(start, stop, value.step, stride)
        return SliceValue(start, stop, self.value(value.step))

    def _function(self, value: FunctionValue) -> FunctionValue:
        if id(value) not in self.functions:
            defaults = {name: self.value(default) for name, default in value.defaults.items()}
            self.functions.setdefault(id(value), replace(value, defaults=defaults))
        self._captured(*value.frame_path)
        return self.functions[id(value)]

    def _captured(self, *identities: int) -> None:
        for identity in identities:
            if identity not in self.frames:
                self.frame(identity, None)

    def _named(self, attributes: Mapping[str, Value]) -> dict[str, Value]:
        return {name: self.value(item) for name, item in attributes.items()}

    def _cell(self, identity: int) -> None:
        here = self.place(identity)
        if here in self.heap:
            return
        cell = self.old.heap[identity]
        self.heap[here] = cell
        match cell:
            case ListCell():
                listed = tuple(map(self.value, cell.items))
                named = self._named(cell.attributes)
                self.heap[here] = replace(cell, items=listed, attributes=named)
            case DictCell():
                items = {key: self.value(item) for key, item in cell.items.items()}
                factory = cell.default_factory
                self.heap[here] = DictCell(
                    items,
                    cell.kind,
                    None if factory is None else self.value(factory),
                    self._named(cell.attributes),
                )
            case SetCell():
                return
            case RunTimeCell():
                leaf = next(self.leaves)
                assert isinstance(leaf, HostValue)
                made = None if cell.factory is None else self.value(cell.factory)
                self.heap[here] = RunTimeCell(leaf.name, cell.type, made)
            case ObjectCell():
                self.heap[here] = ObjectCell(cell.kind, self._named(cell.attributes))
            case IteratorCell():
                items_left = tuple(map(self.value, cell.items))
                self.heap[here] = IteratorCell(items_left, cell.source)
                if cell.source is not None:
                    self._captured(*cell.source.captured)


def settle(state: State, frames: tuple[tuple[int, frozenset[str]], ...]) -> None:
    """Let every name hold its tensor's current content, and forget what nothing reaches.

    Only valid between statements of the outermost frame, and where no value is on its way.
    """
    if not state.versions or state.on_the_way:
        return
    heap = refresh(state, frames)
    state.heap = heap
    state.versions = {}


def refresh(state: State, frames: tuple[tuple[int, frozenset[str]], ...]) -> dict[int, Cell]:
    """Let every name hold its tensor's current content; return the heap that names reach."""
    roots = Roots(frames=frames, attributes=tuple(state.attributes))
    flattening = Flattening(state, roots).run()
    new, _ = substitute(flattening, flattening.leaves, state.block)
    state.frames, state.heap = new.frames, {**state.heap, **new.heap}
    state.attributes, state.handled = new.attributes, new.handled
    state.homes = new.homes
    return new.heap
