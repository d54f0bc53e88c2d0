"""What is asked about host types: whether tensors, instances or mutable objects are in them."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import torch

from rewriter.host_type_relations import decided, parts
from rewriter.host_types import (
    ConstantType,
    ContainerType,
    Decided,
    HostType,
    MappingType,
    MixedListType,
    ObjectType,
    OptionalType,
    RecordType,
    SequenceType,
    SetType,
    TensorType,
    TupleType,
)
from rewriter.schemas import ObjectSample


def holds(given: HostType, test: Callable[[Decided], bool]) -> bool:
    """Return whether a type, or a part of it, passes a test."""
    pending = [given]
    met: set[int] = set()
    while pending:
        found = decided(pending.pop())
        if found is None or id(found) in met:
            continue
        if test(found):
            return True
        met.add(id(found))
        pending += parts(found)
    return False


def leads_to_itself(given: HostType) -> bool:
    """Return whether objects of a type may refer to others of it, to any depth."""
    start = decided(given)
    return start is not None and any(
        holds(part, lambda inner: inner is start) for part in parts(start)
    )


def has_tensor(given: HostType) -> bool:
    """Return whether objects of a type are or hold tensors or arrays: ``==`` has no one answer."""
    return holds(
        given,
        lambda part: (
            isinstance(part, TensorType)
            or (isinstance(part, ObjectType) and not isinstance(part.sample, str | bytes))
        ),
    )


def has_instance(given: HostType) -> bool:
    """Return whether objects of a type are or hold what the host has no class for."""
    return holds(given, _lacks_class)


def leaves_as_instance(given: HostType) -> bool:
    """Return whether objects of a type must get a class to leave: sizes leave as tuples."""
    return holds(given, lambda part: _lacks_class(part) and not _is_of_sizes(part))


def _lacks_class(part: Decided) -> bool:
    return (
        is_host_instance(part)
        or (isinstance(part, ObjectType) and isinstance(part.sample, ObjectSample))
        or (isinstance(part, MappingType) and part.kind is defaultdict)
        or (isinstance(part, TupleType) and part.kind is not tuple)
    )


def _is_of_sizes(part: Decided) -> bool:
    return isinstance(part, TupleType) and part.kind is torch.Size


def is_host_instance(given: HostType) -> bool:
    """Return whether objects of a type are instances of a user's class, which are dicts there."""
    found = decided(given)
    return isinstance(found, RecordType) and found.kind is not dict


def is_mutable(given: HostType) -> bool:
    """Return whether objects of a type are or hold containers that can be changed."""
    return holds(
        given,
        lambda part: (
            isinstance(part, MixedListType | SetType | MappingType | RecordType)
            or (isinstance(part, SequenceType) and part.kind is not tuple)
        ),
    )


def is_mutable_inside(given: ContainerType) -> bool:
    """Return whether the elements of a container can be changed themselves."""
    match given:
        case SequenceType() | SetType():
            return is_mutable(given.element)
        case MappingType():
            return is_mutable(given.value)
        case MixedListType():
            return any(map(is_mutable, given.items))
        case RecordType():
            return any(is_mutable(item) for _, item in given.fields)


def are_mixed(items: Iterable[HostType]) -> bool:
    """Return whether types are so different that no list of any length holds them all."""
    found = [decided(given) for given in items]
    held = [decided(each.item) if isinstance(each, OptionalType) else each for each in found]
    return len({_class(each) for each in held if each is not None and not _is_none(each)}) > 1


def _class(given: Decided) -> type:
    is_tuple = isinstance(given, SequenceType) and given.kind is tuple
    return TupleType if is_tuple else type(given)


def _is_none(given: Decided) -> bool:
    return isinstance(given, ConstantType) and given.value is None
