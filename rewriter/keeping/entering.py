"""The entry of a call: kept values loaded from the state, as a phase says they look."""

import ast
from collections import Counter
from dataclasses import dataclass, field, replace

import torch

from rewriter.builder import literal_expression, tensor_spec
from rewriter.evaluation.host.host_typing import maker_of
from rewriter.evaluation.run import Run
from rewriter.host_types import (
    TEXT,
    HostType,
    MappingType,
    NumberType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
    TypeVariable,
)
from rewriter.keeping.kept_keys import host_keys
from rewriter.keeping.noting import resident
from rewriter.keeping.roots import Root
from rewriter.keeping.shapes import (
    Fixed,
    Gathered,
    Growing,
    Instance,
    Keyed,
    Mapping,
    Members,
    Number,
    Phase,
    Record,
    Repeated,
    Sequence,
    Shape,
    Tensor,
    Text,
    Unkeepable,
    Unset,
)
from rewriter.keeping.written_in_place import begin, copied
from rewriter.origin import Origin
from rewriter.program import HostSpec, HostStatement, ScalarSpec, VariableSpec
from rewriter.set_history import copied as copied_set
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
    set_cell,
)


@dataclass(slots=True)
class Entering:
    """Gives the roots their values on one path, in order."""

    run: Run
    state: State
    origin: Origin
    _cells: list[Reference] = field(default_factory=list)

    def load(self, roots: "tuple[Root, ...]", phase: Phase, table: ast.expr) -> None:
        """Put the values of a phase into the state; ``table`` is the state on the host."""
        shapes = list(zip(roots, phase, strict=True))
        # tensors first: containers hold what these are now
        for root, shape in sorted(shapes, key=lambda pair: not isinstance(pair[1], Tensor)):
            if not isinstance(shape, Unset):
                place = _item(table, root.name)
                value = self._tensor_held(shape, place, root) or self._value(
                    shape, place, root.name
                )
                if root.attribute is None and isinstance(value, TensorValue):
                    self.run.storages.contained.discard(value.name)  # it is this object
                if isinstance(shape, Tensor) and shape.shared and isinstance(value, TensorValue):
                    self.run.held.shared[storage_key(value.fake)] = root.key
                self.state.attributes[root.key] = value
                cell = self.state.heap[value.identity] if isinstance(value, Reference) else None
                self.run.loaded[self.state.phase, root.key] = value, cell

    def _tensor_held(self, shape: Shape, place: ast.expr, root: Root) -> TensorValue | None:
        """Return a copy of a tensor that callers may have and calls write in place."""
        is_such = isinstance(shape, Tensor) and root.key in self.run.plan.in_place
        if not isinstance(shape, Tensor) or not is_such or shape.shared or shape.open_sizes:
            return None
        fake = self._fake(shape)
        held = TensorValue(self._emit(place, tensor_spec(fake), f"{root.name}_held"), fake)
        self.run.storages.callers.add(held.name)
        value = TensorValue(
            copied(self.run, self.state, held, held, self.origin), self._fake(shape)
        )
        begin(self.run, self.state, root.key, held, value)
        return value

    def _value(self, shape: Shape, place: ast.expr, name: str) -> Value:
        match shape:
            case Fixed() | Number() | Text() | Tensor():
                return self._leaf(shape, place, name)
            case Sequence() if shape.kind not in (list,) and issubclass(shape.kind, tuple):
                return TupleValue(self._items(shape.items, place, name), shape.kind)
            case Repeated():
                return self._cells[shape.number]
            case Sequence() | Growing() | Mapping() | Keyed() | Members() | Gathered() | Instance():
                return self._container(shape, place, name)
            case Unset() | Record():
                raise AssertionError("only a root can be missing")

    def _items(self, shapes: tuple[Shape, ...], place: ast.expr, name: str) -> tuple[Value, ...]:
        return tuple(self._value(shape, _item(place, i), name) for i, shape in enumerate(shapes))

    def _container(
        self,
        shape: Sequence | Growing | Mapping | Keyed | Members | Gathered | Instance,
        place: ast.expr,
        name: str,
    ) -> Value:
        made = self.run.allocate(self.state, ListCell(()))
        self._cells.append(made)
        match shape:
            case Sequence():
                cell = ListCell((), shape.kind, bound=shape.bound)
                items = self._items(shape.items, place, name)
                self.state.heap[made.identity] = replace(cell, items=items)
            case Mapping():
                keys = host_keys(key for key, _ in shape.items)
                pairs = {
                    key: self._value(v, _item(place, on_host), name)
                    for (key, v), on_host in zip(shape.items, keys, strict=True)
                }
                factory = _factory(shape.factory)
                self.state.heap[made.identity] = DictCell(pairs, shape.kind, factory)
            case Keyed():
                variable = self._emit(place, HostSpec(description="dict"), name)
                self.state.heap[made.identity] = self._keyed(shape, variable)
            case Members():
                members = set_cell(copied_set(shape.items))
                self.state.heap[made.identity] = replace(members, kind=shape.kind)
            case Gathered():
                variable = self._emit(place, HostSpec(description="set"), name)
                # it may have come about in another way than the original's
                kind = SetType(self._element_type(shape.element), ordered=False)
                self.state.heap[made.identity] = RunTimeCell(variable, kind)
            case Instance():
                named = {n: self._value(v, _item(place, n), name) for n, v in shape.attributes}
                self.state.heap[made.identity] = ObjectCell(shape.kind, named)
            case Growing():
                variable = self._emit(place, HostSpec(description="list"), name)
                self.state.heap[made.identity] = RunTimeCell(
                    variable, SequenceType(self._element_type(shape.element))
                )
        return made

    def _keyed(self, shape: Keyed, variable: str) -> RunTimeCell:
        key, value = self._element_type(shape.key), self._element_type(shape.value)
        factory = _factory(shape.factory)
        if shape.kind is Counter and shape.value is None:
            value = NumberType(int)
        maker = maker_of(DictCell({}, shape.kind, factory))
        return RunTimeCell(variable, MappingType(key, value, shape.kind, maker), factory)

    def _leaf(self, shape: Fixed | Number | Text | Tensor, place: ast.expr, name: str) -> Value:
        match shape:
            case Fixed():
                known = Known(shape.value, self.run.paths.get(id(shape.value)))
                return resident(self.run, self.state, known) if _is_tensor(known) else known
            case Number():
                spec = ScalarSpec(type=shape.kind)
                return ScalarValue(self._emit(place, spec, name), shape.kind)
            case Text():
                return HostValue(self._emit(place, HostSpec(description="str"), name), "")
            case Tensor():
                fake = self._fake(shape)
                variable = self._emit(place, tensor_spec(fake), name)
                if shape.shared:
                    self.run.storages.mark_lasting(fake)
                    self.run.storages.contained.add(variable)
                return TensorValue(variable, fake)

    def _fake(self, shape: Tensor) -> torch.Tensor:
        sizes = [self.run.sizes.new() if size is None else size for size in shape.shape]
        with self.run.mode:
            if shape.open_sizes:
                return torch.empty(sizes, dtype=shape.dtype)
            return torch.empty_strided(sizes, shape.stride, dtype=shape.dtype)

    def _element_type(self, shape: Shape | None) -> HostType:
        """Return the type of what a growing list holds, or a dict with any keys."""
        match shape:
            case None:
                return TypeVariable()
            case Number():
                return NumberType(shape.kind)
            case Text():
                return TEXT
            case Tensor():
                return TensorType(self._fake(shape))
            case Sequence() if issubclass(shape.kind, tuple):
                return TupleType(tuple(map(self._element_type, shape.items)), shape.kind)
            case Record():
                named = tuple((name, self._element_type(item)) for name, item in shape.fields)
                return RecordType(named, shape.kind)
            case Growing():
                return SequenceType(self._element_type(shape.element))
            case _:
                raise AssertionError(f"not an element: {shape}")

    def _emit(self, place: ast.expr, spec: VariableSpec, name: str) -> str:
        hint = name.rpartition(".")[2]
        word = "".join(c if c.isalnum() or c == "_" else "_" for c in hint).strip("_")
        variable = self.run.builder.variable(word if word.isidentifier() else "_kept", spec)
        # An effect, so that it stays before the stores.
        self.run.builder.emit(
            self.state.block,
            HostStatement(target=variable, expression=place, origin=self.origin, effect=True),
        )
        return variable


def _is_tensor(value: Known) -> bool:
    return isinstance(value.value, torch.Tensor)


def _factory(content: object) -> Known | None:
    return None if content is None else Known(content)


def _item(place: ast.expr, key: object) -> ast.expr:
    index = literal_expression(key)
    if index is None:
        raise Unkeepable(f"a dict with the key {key!r}, which is no number, text or tuple of them")
    return ast.Subscript(value=place, slice=index, ctx=ast.Load())
