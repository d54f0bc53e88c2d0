"""``torch.tensor([a, b])`` of tensors with one element each: they are stacked."""

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import making_tensors
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, ScalarValue, TensorValue, TupleValue, Value

_NUMBERS: dict[type, torch.dtype] = {bool: torch.bool, int: torch.int64}
_EXACT = (torch.float32, torch.float64, torch.int64, torch.bool)
"""Types that take what Python's numbers hold without an error for what does not fit."""


def tensor_of_elements(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return what ``torch.tensor`` makes of a nest that holds tensors, None for other calls."""
    if function not in (torch.tensor, torch.as_tensor) or len(positional) != 1:
        return None
    if set(keywords) - {"dtype", "device"} or isinstance(positional[0], TensorValue):
        return None
    leaves = _leaves(state, positional[0])
    if leaves is None or not any(isinstance(leaf, TensorValue) for leaf in leaves):
        return None
    sources = [_source(leaf) for leaf in leaves]
    given = keywords.get("dtype", Known(None))
    if None in sources or not isinstance(given, Known):
        return None
    dtypes = [source for source in sources if source is not None]
    dtype = given.value or _promoted(dtypes)
    if converts(dtypes, dtype):
        making = making_tensors.stacked
    elif _takes_numbers(dtypes, dtype):
        making = making_tensors.checked
    else:
        return None
    arguments: list[Value] = [positional[0], Known(dtype)]
    return call_value(frame, node, state, Known(making), arguments, {})


def _leaves(state: State, value: Value) -> list[Value] | None:
    """Return what a rectangular nest of lists and tuples holds, None for anything else."""
    nest = _nest(state, value)
    return None if nest is None else nest[1]


def _nest(state: State, value: Value) -> tuple[tuple[int, ...], list[Value]] | None:
    match value:
        case TupleValue():
            items = value.items
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            items = cell.items
        case Known() if isinstance(value.value, list | tuple):
            items = tuple(map(Known, value.value))
        case _:
            return (), [value]
    parts = [_nest(state, item) for item in items]
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts) or len({shape for shape, _ in found}) > 1:
        return None
    return (len(items), *found[0][0]), [leaf for _, leaves in found for leaf in leaves]


def _source(leaf: Value) -> torch.dtype | None:
    """Return the element type of a number or of a tensor with one element, None for others."""
    match leaf:
        case TensorValue():
            one = is_fixed(leaf.fake) and leaf.fake.numel() == 1
            return leaf.fake.dtype if one else None
        case Known() if type(leaf.value) in (bool, int, float):
            return _NUMBERS.get(type(leaf.value), torch.get_default_dtype())
        case ScalarValue() if leaf.type in (bool, int, float):
            return _NUMBERS.get(leaf.type, torch.get_default_dtype())
        case _:
            return None


def _promoted(dtypes: list[torch.dtype]) -> torch.dtype:
    promoted, *rest = dtypes
    for dtype in rest:
        promoted = torch.promote_types(promoted, dtype)
    return promoted


def _takes_numbers(sources: list[torch.dtype], dtype: torch.dtype) -> bool:
    """Return whether eager makes elements of the numbers that the tensors hold, or raises."""
    if dtype.is_complex or any(source.is_complex for source in sources):
        return False
    return dtype.is_floating_point or not any(source.is_floating_point for source in sources)


def converts(sources: list[torch.dtype], dtype: torch.dtype) -> bool:
    """Return whether every element is converted as ``to`` does, where eager raises nothing."""
    if all(source == dtype for source in sources):
        return True
    return dtype in _EXACT and (
        dtype.is_floating_point or not any(source.is_floating_point for source in sources)
    )
