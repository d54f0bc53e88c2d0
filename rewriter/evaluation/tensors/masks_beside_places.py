"""Masks beside index tensors: ``cost[places, mask]``. PyTorch takes the places of what is true."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.mask_counts import is_mask
from rewriter.evaluation.tensors.tensor_indexing import (
    dimensions_taken,
    index_parts,
    replaced_parts,
)
from rewriter.size_expressions import expression_of
from rewriter.state import State
from rewriter.values import Known, MethodValue, TensorValue, TupleValue, Value


def with_places(
    frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue | Known, index: Value
) -> Outcomes:
    """Yield an index with places for its masks, where other index tensors must be as many.

    How many places there are is compared by the host then; nobody could say it of a mask.
    """
    parts = index_parts(state, index)
    fitting = _fitting_masks(tensor, parts)
    others = [part for part in parts if not fitting or part is not fitting[0]]
    if not fitting or not any(map(_must_be_as_many, others)):
        yield state, index
        return

    def is_fitting(part: Value) -> bool:
        return any(part is mask for mask in fitting)

    def made(before: State, part: Value) -> Outcomes:
        if not is_fitting(part):
            yield before, part
            return
        nonzero = MethodValue(part, "nonzero")
        for after, found in call_value(frame, node, before, nonzero, [], {"as_tuple": Known(True)}):
            assert isinstance(found, TupleValue)
            yield after, found.items[0]

    yield from replaced_parts(state, index, is_fitting, made)


def _must_be_as_many(part: Value) -> bool:
    """Return whether a part of an index is a mask, or a tensor of several places."""
    content = tensor_of(part)
    if content is None or content.dim() == 0:
        return False
    return is_mask(part) or any(expression_of(size) != 1 for size in content.shape)


def _fitting_masks(tensor: TensorValue | Known, parts: tuple[Value, ...]) -> list[Value]:
    """Return the masks of one dimension that surely are as long as the dimension they choose in."""
    indexed = tensor_of(tensor)
    assert indexed is not None
    taken = [dimensions_taken(part) for part in parts]
    found: list[Value] = []
    dimension = 0
    for part, own in zip(parts, taken, strict=True):
        content = tensor_of(part)
        if is_mask(part) and content is not None and content.dim() == 1:
            length, size = content.shape[0], [*indexed.shape, -1][dimension]
            found += [part] if expression_of(length) == expression_of(size) else []
        dimension += indexed.dim() - sum(filter(None, taken)) if own is None else own
    return found
