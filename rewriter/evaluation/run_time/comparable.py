"""Which elements the host compares as Python does."""

from rewriter.host_type_properties import has_instance, has_tensor
from rewriter.host_types import HostType, MappingType
from rewriter.state import State
from rewriter.values import RunTimeCell, Value, ViewValue


def host_orders(element: HostType) -> bool:
    """Return whether the host compares elements as Python does: no tensors, no objects."""
    return not has_tensor(element) and not has_instance(element)


def has_distinct_keys(state: State, value: Value) -> bool:
    """Return whether elements are pairs that differ in what comes first, which the host orders."""
    viewed = state.heap.get(value.identity) if isinstance(value, ViewValue) else None
    return (
        isinstance(value, ViewValue)
        and value.part == "items"
        and isinstance(viewed, RunTimeCell)
        and isinstance(viewed.type, MappingType)
        and host_orders(viewed.type.key)
    )
