"""Shapes of kept values: of objects at compile time, and of values at the end of a path."""

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

import torch

from rewriter.host_type_relations import decided
from rewriter.host_types import (
    HostType,
    NumberType,
    ObjectType,
    SequenceType,
    TensorType,
    TupleType,
)
from rewriter.keeping.shapes import (
    Fixed,
    Growing,
    Instance,
    Mapping,
    Members,
    Number,
    Repeated,
    Sequence,
    Shape,
    Tensor,
    Text,
    Unset,
    join_elements,
    structure,
    tensor_shape,
)
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    IteratorCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
)

Place = tuple[str, ...]


class Unkeepable(Exception):
    """A value cannot be kept from one call to the next; the text says why."""


@dataclass(slots=True)
class Describing:
    """Describes the roots of one state in order; remembers the objects it met."""

    growing: Collection[Place]
    state: State | None = None
    is_shared: Callable[[TensorValue], bool] = lambda value: True
    """Whether anything else may hold a tensor, or share its memory."""
    _met: dict[Hashable, int] = field(default_factory=dict)

    def known(self, content: object, place: Place, *, whole: bool = False) -> Shape:
        """Return the shape of an object; ``whole`` where it is a root itself."""
        if isinstance(content, Unset):
            return content
        if isinstance(content, torch.Tensor) and whole:
            return tensor_shape(content, shared=False)
        if type(content) is tuple:
            return Sequence(tuple, self._known_items(content, place))
        if type(content) not in (list, deque, dict, OrderedDict, set):
            return Fixed(content)
        if (again := self._again(("object", id(content)))) is not None:
            return again
        match content:
            case list() | deque():
                items = self._known_items(content, place)
                shape = Sequence(type(content), items, getattr(content, "maxlen", None))
                return self._listed(shape, place)
            case dict():
                pairs = ((key, self.known(v, (*place, repr(key)))) for key, v in content.items())
                return Mapping(type(content), tuple(pairs))
            case _:
                assert isinstance(content, set)
                return Members(set, frozenset(content))

    def _known_items(
        self, content: "tuple[object, ...] | list[object] | deque[object]", place: Place
    ) -> tuple[Shape, ...]:
        return tuple(self.known(v, (*place, str(i))) for i, v in enumerate(content))

    def value(self, value: Value, place: Place) -> Shape:
        """Return the shape of a value at the end of a path."""
        assert self.state is not None
        match value:
            case Known():
                return self.known(value.value, place)
            case TensorValue():
                now = self.state.current(value)
                return _tensor(now.fake, shared=self.is_shared(now))
            case ScalarValue():
                return Number(value.type)
            case HostValue() if isinstance(value.sample, str):
                return Text()
            case TupleValue():
                return Sequence(value.kind, self._items(value.items, place))
            case Reference():
                return self._cell(value, place)
            case _:
                raise Unkeepable("an object of this kind cannot be kept from call to call")

    def _items(self, items: tuple[Value, ...], place: Place) -> tuple[Shape, ...]:
        return tuple(self.value(v, (*place, str(i))) for i, v in enumerate(items))

    def _cell(self, value: Reference, place: Place) -> Shape:
        assert self.state is not None
        if (again := self._again(value.identity)) is not None:
            return again
        match self.state.heap[value.identity]:
            case ListCell(attributes=own) | DictCell(attributes=own) if own:
                raise Unkeepable("a list or dict with attributes cannot be kept")
            case ListCell() as cell:
                shape = Sequence(cell.kind, self._items(cell.items, place), cell.bound)
                return self._listed(shape, place)
            case RunTimeCell() as cell if isinstance(cell.type, SequenceType) and (
                cell.kind is list
            ):
                return Growing(_element_shape(cell.type.element))
            case RunTimeCell() as cell:
                word = cell.kind.__name__
                raise Unkeepable(f"a {word} known only at run time cannot be kept")
            case DictCell() as cell if cell.default_factory is None:
                items = ((key, self.value(v, (*place, repr(key)))) for key, v in cell.items.items())
                return Mapping(cell.kind, tuple(items))
            case SetCell() as cell:
                return Members(cell.kind, cell.items)
            case ObjectCell() as cell:
                named = ((n, self.value(v, (*place, n))) for n, v in cell.attributes.items())
                return Instance(cell.kind, tuple(named))
            case DictCell() | IteratorCell():
                raise Unkeepable("a default dict or iterator cannot be kept from call to call")

    def _listed(self, shape: Sequence, place: Place) -> Shape:
        if place not in self.growing:
            return shape
        if len(set(map(structure, shape.items))) > 1:
            raise Unkeepable("the elements of a list that grows from call to call differ")
        element: Shape | None = None
        for item in shape.items:
            element = join_elements(element, item)
        if element is not None and not _is_element(element):
            raise Unkeepable("a list of mutable objects that grows from call to call")
        return Growing(element)

    def _again(self, identity: Hashable) -> Shape | None:
        if identity in self._met:
            return Repeated(self._met[identity])
        self._met[identity] = len(self._met)
        return None


def _tensor(fake: torch.Tensor, *, shared: bool) -> Shape:
    """Return the shape of a tensor of run time. Raises Unkeepable."""
    if not all(isinstance(size, int) for size in (*fake.shape, *fake.stride())):
        raise Unkeepable("a tensor of a size known only at run time cannot be kept")
    return tensor_shape(fake, shared=shared)


def _is_element(shape: Shape) -> bool:
    """Return whether a growing list may hold what looks so."""
    if isinstance(shape, Sequence):
        return shape.kind is tuple and all(map(_is_element, shape.items))
    return isinstance(shape, Number | Text | Tensor)


def _element_shape(given: HostType) -> Shape | None:
    """Return the shape of a growing list's elements. Raises Unkeepable."""
    match decided(given):
        case None:
            return None
        case NumberType() as number:
            return Number(number.kind)
        case ObjectType() as thing if isinstance(thing.sample, str):
            return Text()
        case TensorType() as tensor:
            return _tensor(tensor.like, shared=True)
        case TupleType() as whole if whole.kind is tuple:
            items = [_element_shape(item) for item in whole.items]
            return Sequence(tuple, tuple(item for item in items if item is not None))
        case _:
            raise Unkeepable("a run-time list of mutable objects cannot be kept from call to call")
