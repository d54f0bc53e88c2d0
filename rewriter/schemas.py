"""What objects of run-time structure look like: trees, graphs of nodes, lists of any length.

The schema is learned from an example: for each class, what its attributes hold, over all
instances. Every caller's object is checked against it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import torch

from rewriter.builder import tensor_spec
from rewriter.plain_objects import attributes_of, is_argument_class
from rewriter.program import ScalarSpec, TensorSpec
from rewriter.specs import (
    AnyText,
    ClassSchema,
    Constant,
    InstanceOf,
    ListOf,
    OneOrNone,
    Schema,
    SetOf,
    TupleOf,
)


@dataclass(frozen=True, slots=True)
class NoSchema:
    """No schema describes it: ``reason`` says why."""

    reason: str


Learned: TypeAlias = Schema | NoSchema
Writes: TypeAlias = Mapping[tuple[type, str], Schema]
"""Attributes of arguments' objects that the program writes, and what it writes into them."""


class WritesFound(Exception):
    """The program writes what was not known to be written: evaluate it again, knowing that."""

    def __init__(self, writes: Writes) -> None:
        self.writes = writes
        super().__init__("an attribute of an argument is written")


@dataclass(slots=True, eq=False)
class ClassFacts:
    """What is known of the instances of one class in an example, and what was asked for."""

    kind: type
    instances: int = 0
    attributes: dict[str, Learned] = field(default_factory=dict)
    partial: set[str] = field(default_factory=set)
    """Attributes that some instances lack, or may lack until they are written."""
    written: dict[str, Schema] = field(default_factory=dict)
    """Attributes that the program writes."""
    read: set[str] = field(default_factory=set)
    absent: dict[str, None] = field(default_factory=dict)
    """Attributes that were asked for and that no instance has."""

    def add(self, attributes: Mapping[str, Learned]) -> None:
        """Take an instance into account."""
        if self.instances:
            self.partial |= self.attributes.keys() ^ attributes.keys()
        self.instances += 1
        for name, learned in attributes.items():
            before = self.attributes.get(name)
            self.attributes[name] = learned if before is None else united(before, learned)

    def will_be_written(self, name: str, schema: Schema) -> None:
        """Record what the program writes into an attribute."""
        self.written[name] = schema
        if name in self.attributes:
            self.attributes[name] = united(self.attributes[name], schema)
        else:
            self.attributes[name] = schema
            self.partial.add(name)

    def needed(self) -> ClassSchema:
        """Return what the program reads."""
        read = [
            (name, learned)
            for name, learned in self.attributes.items()
            if name in self.read and not isinstance(learned, NoSchema)
        ]
        return ClassSchema(
            attributes=tuple(pair for pair in read if pair[0] not in self.partial),
            partial=tuple(pair for pair in read if pair[0] in self.partial),
            absent=tuple(self.absent),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ObjectSample:
    """Stands for any instance of a class, as the ``sample`` of a ``HostValue``."""

    facts: ClassFacts
    learning: "Learning"

    @property
    def dtype(self) -> str:
        """Return what tells samples of different classes apart."""
        return f"{self.facts.kind.__name__} {id(self.facts)}"


@dataclass(slots=True)
class Learning:
    """Learns the schema of one argument."""

    writes: Writes = field(default_factory=dict)
    classes: dict[type, ClassFacts] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    def learn_argument(self, content: object, place: str) -> Learned:
        """Return the schema of an argument."""
        learned = self.learn(content, place)
        for (kind, name), schema in self.writes.items():
            if kind in self.classes:
                self.classes[kind].will_be_written(name, schema)
        return learned

    def learn(self, content: object, place: str) -> Learned:
        """Return the schema of an example."""
        if isinstance(content, torch.Tensor):
            if content.layout is not torch.strided or content.is_quantized:
                return NoSchema(f"{place} is no dense tensor")
            return tensor_spec(content)
        if type(content) in (bool, int, float):
            return ScalarSpec(type=type(content))
        if type(content) is str:
            return AnyText()
        if content is None:
            return Constant(value=None)
        if type(content) is list:
            return self._list(content, place)
        if type(content) is tuple:
            return self._tuple(content, place)
        if type(content) is set:
            return self._set(content, place)
        if is_argument_class(type(content)):
            return self._instance(content, place)
        return NoSchema(f"{place} is an object of class {type(content).__name__}")

    def _list(self, content: list[object], place: str) -> Learned:
        items = [self.learn(item, f"{place}[{index}]") for index, item in enumerate(content)]
        if not items:
            return ListOf(item=None)
        item = _all_united(items)
        return item if isinstance(item, NoSchema) else ListOf(item=item)

    def _set(self, content: set[object], place: str) -> Learned:
        items = [self.learn(item, f"an element of {place}") for item in content]
        if not items:
            return NoSchema(f"{place} is an empty set: the example must have elements")
        return _set_of(_all_united(items))

    def _tuple(self, content: tuple[object, ...], place: str) -> Learned:
        items = [self.learn(item, f"{place}[{index}]") for index, item in enumerate(content)]
        known = [item for item in items if not isinstance(item, NoSchema)]
        if len(known) < len(items):
            return next(item for item in items if isinstance(item, NoSchema))
        return TupleOf(items=tuple(known))

    def _instance(self, content: object, place: str) -> Learned:
        kind = type(content)
        if any(other.__name__ == kind.__name__ for other in self.classes.keys() - {kind}):
            return NoSchema(f"{place} is of one of two classes that are called {kind.__name__}")
        facts = self.classes.setdefault(kind, ClassFacts(kind))
        if id(content) not in self._seen:
            self._seen.add(id(content))
            attributes = dict(attributes_of(content))
            learned = {n: self.learn(v, f"{place}.{n}") for n, v in attributes.items()}
            facts.add(learned)
        return InstanceOf(name=kind.__name__)

    def needed(self) -> Mapping[str, ClassSchema]:
        """Return the classes with the attributes that the program reads."""
        return {kind.__name__: facts.needed() for kind, facts in self.classes.items()}

    def facts(self, name: str) -> ClassFacts:
        """Return what is known of a class."""
        return next(facts for kind, facts in self.classes.items() if kind.__name__ == name)


def _set_of(item: Learned) -> Learned:
    if isinstance(item, NoSchema) or not _is_plain(item):
        return NoSchema("sets hold numbers of one type, texts, or tuples of these")
    return SetOf(item=item)


def _is_plain(schema: Schema) -> bool:
    """Return whether a schema is of numbers of one type, of texts, or of tuples of these."""
    match schema:
        case ScalarSpec(type=kind):
            return kind is not None
        case TupleOf(items=items):
            return all(map(_is_plain, items))
        case _:
            return isinstance(schema, AnyText)


def united(left: Learned, right: Learned) -> Learned:
    """Return what describes both: objects of either kind."""
    for one in (left, right):
        if left == right or isinstance(one, NoSchema):
            return one
    nothing = Constant(value=None)
    if any(one == nothing or isinstance(one, OneOrNone) for one in (left, right)):
        return _optional([_without_none(one) for one in (left, right) if one != nothing])
    match left, right:
        case ScalarSpec(), ScalarSpec():
            return ScalarSpec(type=None)
        case ListOf(), ListOf():
            return _united_lists(left, right)
        case SetOf(), SetOf():
            return _set_of(united(left.item, right.item))
        case TupleOf(), TupleOf() if len(left.items) == len(right.items):
            return _united_tuples(left, right)
        case TensorSpec(), TensorSpec():
            return NoSchema("it holds tensors of different shapes or element types")
        case _:
            return NoSchema("it holds objects of different kinds")


def _optional(items: list[Learned]) -> Learned:
    item = _all_united(items)
    return item if isinstance(item, NoSchema | OneOrNone) else OneOrNone(item=item)


def _without_none(given: Learned) -> Learned:
    return given.item if isinstance(given, OneOrNone) else given


def _united_lists(left: ListOf, right: ListOf) -> Learned:
    if left.item is None or right.item is None:
        return right if left.item is None else left
    item = united(left.item, right.item)
    return item if isinstance(item, NoSchema) else ListOf(item=item)


def _united_tuples(left: TupleOf, right: TupleOf) -> Learned:
    items = [united(one, other) for one, other in zip(left.items, right.items, strict=True)]
    known = tuple(item for item in items if not isinstance(item, NoSchema))
    return TupleOf(items=known) if len(known) == len(items) else NoSchema("its tuples differ")


def _all_united(items: Iterable[Learned]) -> Learned:
    first, *rest = items
    for item in rest:
        first = united(first, item)
    return first


def is_recursive(content: object) -> bool:
    """Return whether an object's class occurs again inside of it: a tree, not a record."""
    pending: list[object] = [item for _, item in attributes_of(content)]
    seen: set[int] = {id(content)}
    while pending:
        item = pending.pop()
        if type(item) is type(content):
            return True
        if id(item) in seen:
            continue
        seen.add(id(item))
        if type(item) in (list, tuple):
            pending += item  # type: ignore[arg-type]
        elif type(item) is dict:
            pending += item.values()
        elif not isinstance(item, torch.Tensor | type) and is_argument_class(type(item)):
            pending += [inner for _, inner in attributes_of(item)]
    return False
