"""What tensors hold at integers known only at run time: ``x[i]``, ``x[:, t]``."""

import ast
from collections.abc import Iterator

import libcst as cst
import torch

from rewriter.chosen_places import ChosenPart, ChosenPlaces
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.rendering import name_expression, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_indexing import dimensions_taken, is_run_time_integer
from rewriter.state import State
from rewriter.values import (
    Known,
    MethodValue,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_ALL = Known(slice(None))
_SPREAD = (list, bool)  # known parts that PyTorch makes index tensors of


def select(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    parts: tuple[Value, ...],
) -> Outcomes:
    """Evaluate ``tensor[parts]`` where some parts are run-time integers.

    Each selects along its dimension by a one-element index tensor, after the other parts
    were applied. Yields nothing shared with ``tensor``: writing into the result
    would not reach it, so their storages are related, and such writes put back or refused.
    """
    # Subscripts of tensors come here: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    fake: torch.Tensor = tensor.fake if isinstance(tensor, TensorValue) else tensor.value
    rank = fake.dim()
    if any(map(_is_index_tensor, parts)):
        # PyTorch selects at all integers first: what is left is indexed by the tensors.
        others = tuple(part for part in parts if not is_run_time_integer(part))
        chosen = _places(parts, rank)
        for after, base in _select_all(frame, node, state, tensor, chosen):
            yield from get_item(frame, node, after, base, TupleValue(others))
        return
    held = state.on_the_way
    for after, base in _with_known_parts(frame, node, state, tensor, parts):
        dimensions = _dimensions(parts, rank)
        for selected, part in _select_all(frame, node, after, base, dimensions):
            source = tensor_of(base)
            if isinstance(part, TensorValue) and source is not None:
                found = ChosenPart(
                    source=source,
                    dimensions=frozenset(place for place, _ in dimensions),
                    places=parts,
                    part=part.fake,
                    taken_of=tensor,
                )
                frame.run.storages.choose(found)
                if not any(frame.run.grad_modes[-1:]):
                    frame.run.storages.fixed_views.add(part.name)
            selected.on_the_way = held  # what led to the part is used no more
            selected.carry(part)
            yield selected, part


def chosen_places(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    parts: tuple[Value, ...],
) -> Iterator[tuple[State, ChosenPlaces]]:
    """Return what ``tensor[parts]`` is, where some parts are run-time integers."""
    fake = tensor_of(tensor)
    assert fake is not None
    dimensions = frozenset(place for place, _ in _dimensions(parts, fake.dim()))
    for after, base in _with_known_parts(frame, node, state, tensor, parts):
        source = tensor_of(base)
        assert source is not None
        yield after, ChosenPlaces(source=source, dimensions=dimensions, places=parts)


def _with_known_parts(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    tensor: TensorValue | Known,
    parts: tuple[Value, ...],
) -> Outcomes:
    """Evaluate an index with all of a dimension where it has a run-time integer."""
    # Subscripts of tensors come here: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    rest = tuple(_ALL if is_run_time_integer(part) else part for part in parts)
    if all(part is _ALL for part in rest):
        return iter([(state, tensor)])
    return get_item(frame, node, state, tensor, TupleValue(rest))


def _is_index_tensor(part: Value) -> bool:
    """Return whether a part of an index is a tensor or list of places, a mask or a truth."""
    if isinstance(part, Reference) or (isinstance(part, Known) and type(part.value) in _SPREAD):
        return True
    found = tensor_of(part)
    return found is not None and (found.dim() > 0 or found.dtype is torch.bool)


def _places(parts: tuple[Value, ...], rank: int) -> list[tuple[int, Value]]:
    """Return the run-time integers with their dimension in the tensor, last dimension first."""
    taken = [dimensions_taken(part) for part in parts]
    found: list[tuple[int, Value]] = []
    dimension = 0
    for part, own in zip(parts, taken, strict=True):
        if is_run_time_integer(part):
            found.append((dimension, part))
        dimension += rank - sum(filter(None, taken)) if own is None else own
    return found[::-1]


def _dimensions(parts: tuple[Value, ...], rank: int) -> list[tuple[int, Value]]:
    """Return the run-time integers with their dimension once the other parts are applied.

    Given last dimension first, so that squeezing one leaves the others in place.
    """
    consuming = sum(
        not (isinstance(p, Known) and (p.value is None or p.value is Ellipsis)) for p in parts
    )
    found: list[tuple[int, Value]] = []
    dimension = 0
    for part in parts:
        if is_run_time_integer(part):
            found.append((dimension, part))
            dimension += 1
        elif isinstance(part, Known) and part.value is Ellipsis:
            dimension += rank - consuming
        elif isinstance(part, Known) and isinstance(part.value, int):
            continue
        else:
            dimension += 1
    return found[::-1]


def _select_all(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    base: Value,
    selections: list[tuple[int, Value]],
) -> Outcomes:
    if not selections:
        yield state, base
        return
    # Subscripts of tensors come here: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    (dimension, part), *rest = selections
    for indexed, position in one_element(frame, node, state, part):
        # not index_select: that takes no negative indices
        where = TupleValue((*[_ALL] * dimension, position)) if dimension else position
        for selected, chosen in get_item(frame, node, indexed, base, where):
            for after, squeezed in call_value(
                frame, node, selected, MethodValue(chosen, "squeeze"), [Known(dimension)], {}
            ):
                yield from _select_all(frame, node, after, squeezed, rest)


def one_element(frame: Frame, node: cst.CSTNode, state: State, part: Value) -> Outcomes:
    """Return a run-time integer as an index tensor with one element."""
    if isinstance(part, ScalarValue):
        display = ast.List(elts=[name_expression(part.name)], ctx=ast.Load())
        yield state, tensor_from_host(frame, node, state, display, torch.int64, (1,))
        return
    yield from call_value(frame, node, state, MethodValue(part, "reshape"), [Known(1)], {})
