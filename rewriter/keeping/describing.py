"""Shapes of kept values: of objects at compile time, and of values at the end of a path."""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field

import torch

from rewriter.host_type_relations import decided
from rewriter.host_types import (
    PLAIN,
    HostType,
    MappingType,
    NumberType,
    ObjectType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.keeping.joining import join
from rewriter.keeping.records import is_element, one_for_all, require_unwritten
from rewriter.keeping.shapes import (
    Fixed,
    Gathered,
    Growing,
    Instance,
    Keyed,
    Mapping,
    Members,
    Number,
    Record,
    Repeated,
    Sequence,
    Shape,
    Text,
    Unkeepable,
    Unset,
    open_shape,
    tensor_shape,
)
from rewriter.plain_objects import looks_up_itself
from rewriter.size_expressions import is_dense_layout, is_fixed
from rewriter.stand_ins import is_named_tuple
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


@dataclass(slots=True)
class Describing:
    """Describes the roots of one state in order; remembers the objects it met."""

    growing: AbstractMapping[Place, Shape | None]
    """Places of containers whose structure changes, and how calls have left them, if known."""
    open_sizes: AbstractMapping[Place, frozenset[int]]
    """Places of tensors of which the sizes of some dimensions change."""
    state: State | None = None
    is_shared: Callable[[TensorValue], bool] = lambda value: True
    """Whether anything else may hold a tensor, or share its memory."""
    own_root: Callable[[TensorValue], torch.Tensor | None] = lambda value: None
    """The tensor of the model that is kept itself, if a value is what that is now."""
    written: frozenset[int] = frozenset()
    """The memory of the model's tensors that calls write in place."""
    _met: dict[Hashable, int] = field(default_factory=dict)

    def known(self, content: object, place: Place, *, whole: bool = False) -> Shape:
        """Return the shape of an object; ``whole`` where it is a root itself."""
        if isinstance(content, Unset):
            return content
        if isinstance(content, torch.Tensor) and (whole or place in self.open_sizes):
            return self._tensor(content, place, shared=not whole)
        if isinstance(content, tuple) and _is_kept_tuple(type(content)):
            return Sequence(type(content), self._known_items(content, place))
        if type(content) not in _KEPT:
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
                factory = getattr(content, "default_factory", None)
                return self._keyed(Mapping(type(content), tuple(pairs), factory), place)
            case _:
                assert isinstance(content, set)
                return self._gathered(Members(set, frozenset(content)), place)

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
                if len(place) > 1 and (own := self.own_root(value)) is not None:
                    return Fixed(own)
                return self._tensor(now.fake, place, shared=self.is_shared(now))
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

    def _tensor(self, tensor: torch.Tensor, place: Place, *, shared: bool) -> Shape:
        sizes = (*tensor.shape, *tensor.stride())
        found = {at for at, size in enumerate(tensor.shape) if not isinstance(size, int)}
        is_known = all(isinstance(size, int) for size in sizes)
        opened = self.open_sizes.get(place, frozenset())  # perhaps for one of more dimensions
        dimensions = found | {at for at in opened if at < tensor.dim()}
        if is_known and not (dimensions and is_dense_layout(tensor)):
            return tensor_shape(tensor, shared=shared)  # a part of another one has its own layout
        return open_shape(tensor, dimensions, shared=shared)

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
            case RunTimeCell() as cell:
                return _run_time_shape(cell)
            case DictCell() as cell:
                items = ((key, self.value(v, (*place, repr(key)))) for key, v in cell.items.items())
                factory = _factory(cell.default_factory)
                return self._keyed(Mapping(cell.kind, tuple(items), factory), place)
            case SetCell() as cell:
                return self._gathered(Members(cell.kind, cell.items), place)
            case ObjectCell() as cell if looks_up_itself(cell.kind):
                raise Unkeepable("an object that looks up its attributes itself cannot be kept")
            case ObjectCell() as cell:
                named = ((n, self.value(v, (*place, n))) for n, v in cell.attributes.items())
                return Instance(cell.kind, tuple(named))
            case IteratorCell():
                raise Unkeepable("an iterator cannot be kept from call to call")

    def _listed(self, shape: Sequence, place: Place) -> Shape:
        if place not in self.growing:
            return shape
        require_unwritten(shape, self.written)
        element = one_for_all(shape.items)
        if element is not None and not is_element(element):
            raise Unkeepable("a list of mutable objects that grows from call to call")
        left = self.growing.get(place) if self.state is None else None
        made = Growing(element)
        return made if left is None else join(made, left)

    def _keyed(self, shape: Mapping, place: Place) -> Shape:
        if place not in self.growing and shape.kind is not Counter:
            return shape
        require_unwritten(shape, self.written)
        made = self.with_other_keys(shape)
        left = self.growing.get(place) if self.state is None else None
        return made if left is None else join(made, left)

    def with_other_keys(self, shape: Mapping) -> Keyed:
        """Return the shape of a dict as one whose keys change. Raises Unkeepable."""
        key = one_for_all(self.known(key, ()) for key, _ in shape.items)
        value = one_for_all(_grown(item) for _, item in shape.items)
        inner = value.element if isinstance(value, Growing) else value
        if not all(part is None or is_element(part) for part in (key, inner)):
            raise Unkeepable("a dict of mutable objects that gets other keys from call to call")
        return Keyed(shape.kind, key, value, shape.factory)

    def _gathered(self, shape: Members, place: Place) -> Shape:
        if place not in self.growing:
            return shape
        left = self.growing.get(place) if self.state is None else None
        made = self.with_other_elements(shape)
        return made if left is None else join(made, left)

    def with_other_elements(self, shape: Members) -> Gathered:
        """Return the shape of a set as one whose elements change. Raises Unkeepable."""
        element = one_for_all(self.known(item, ()) for item in shape.items)
        if element is not None and not is_element(element):
            raise Unkeepable("a set of objects that gets others from call to call")
        return Gathered(element)

    def _again(self, identity: Hashable) -> Shape | None:
        if identity in self._met:
            return Repeated(self._met[identity])
        self._met[identity] = len(self._met)
        return None


_KEPT = (list, deque, dict, OrderedDict, defaultdict, Counter, set)


def _is_kept_tuple(kind: type[tuple[object, ...]]) -> bool:
    """Return whether objects of a class are their items, and nothing besides."""
    return kind is tuple or (is_named_tuple(kind) and not kind.__dictoffset__)


def _factory(value: Value | None) -> object:
    """Return what makes missing values. Raises Unkeepable where the call has made that."""
    if value is None or isinstance(value, Known):
        return None if value is None else value.value
    raise Unkeepable("a defaultdict with a function of the call's own cannot be kept")


def _grown(shape: Shape) -> Shape:
    """Return a list in a dict as one whose length changes."""
    if isinstance(shape, Sequence) and shape.kind is list:
        return Growing(one_for_all(shape.items))
    return shape


def _run_time_shape(cell: RunTimeCell) -> Shape:
    """Return the shape of a container of the host. Raises Unkeepable."""
    match cell.type:
        case SequenceType() as listed if cell.kind is list:
            return Growing(_element_shape(listed.element))
        case SetType() as gathered if cell.kind is set:
            return Gathered(_element_shape(gathered.element))
        case RecordType():
            return _element_shape(cell.type) or Fixed(None)
        case MappingType() as table:
            return Keyed(cell.kind, *_parts_of(table), _factory(cell.factory))
        case _:
            word = cell.kind.__name__
            raise Unkeepable(f"a {word} known only at run time cannot be kept")


def _parts_of(given: MappingType) -> tuple[Shape | None, Shape | None]:
    """Return the shapes of keys and values of a dict of the host. Raises Unkeepable."""
    value = decided(given.value)
    if isinstance(value, SequenceType) and value.kind is list:
        return _element_shape(given.key), Growing(_element_shape(value.element))
    return _element_shape(given.key), _element_shape(given.value)


def _element_shape(given: HostType) -> Shape | None:
    """Return the shape of a growing list's elements. Raises Unkeepable."""
    match decided(given):
        case None:
            return None
        case NumberType() as number:
            return Number(None if number.kind is PLAIN else number.kind)
        case ObjectType() as thing if isinstance(thing.sample, str):
            return Text()
        case TensorType() as tensor if is_fixed(tensor.like) and not tensor.any_size:
            return tensor_shape(tensor.like, shared=True)
        case TensorType():
            raise Unkeepable("a list of tensors of sizes known only at run time cannot be kept")
        case TupleType() as whole:
            items = [_element_shape(item) for item in whole.items]
            return Sequence(whole.kind, tuple(item for item in items if item is not None))
        case RecordType(fields, kind) if not looks_up_itself(kind):
            named = [(name, _element_shape(item)) for name, item in fields]
            shape = Record(kind, tuple((str(name), item) for name, item in named if item))
            if all(type(name) is str and item for name, item in named) and is_element(shape):
                return shape
            raise Unkeepable("a container of objects that hold others cannot be kept")
        case _:
            raise Unkeepable("a run-time list of mutable objects cannot be kept from call to call")
