"""How views that were taken before a decision can be taken again, from what they are views of.

A sub-DNN gets a tensor and its view as two inputs, so a write into one does not show in the
other. By how both lie in memory the view is one of the following, with which a sub-DNN that
writes may begin (``hcfg/retaken_views.py``):

    tensor.view(-1)[first:last].view(sizes)           its elements lie one after the other
    tensor[1, 0:4:1, 0:6:2].permute(1, 0)             indices and slices, dimensions turned
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.size_expressions import is_fixed
from rewriter.values import TensorValue


def retakes_of(touched: Sequence[TensorValue]) -> tuple[tuple[str, ast.expr], ...]:
    """Return names of one memory, each with its expression of the one that holds them all."""
    by_rows = [leaf for leaf in touched if _is_plain(leaf.fake) and leaf.fake.is_contiguous()]
    if len(touched) < 2 or not by_rows:
        return ()
    whole = max(by_rows, key=lambda leaf: leaf.fake.numel())
    others = [leaf for leaf in touched if leaf is not whole and _is_plain(leaf.fake)]
    found = ((leaf.name, _view_of(leaf.fake, whole)) for leaf in others)
    return tuple((name, expression) for name, expression in found if expression is not None)


def _is_plain(tensor: torch.Tensor) -> bool:
    """Return whether all is known of how a tensor lies in memory, and it holds something."""
    plain = is_fixed(tensor) and not tensor.is_conj() and not tensor.is_neg()
    return plain and tensor.numel() > 0


def _view_of(tensor: torch.Tensor, whole: TensorValue) -> ast.expr | None:
    first = int(tensor.storage_offset()) - int(whole.fake.storage_offset())
    if tensor.dtype != whole.fake.dtype or not 0 <= first < whole.fake.numel():
        return None
    if tensor.is_contiguous():
        return _run_of(tensor, whole, first)
    return _indexed(tensor, whole, first)


def _run_of(tensor: torch.Tensor, whole: TensorValue, first: int) -> ast.expr | None:
    """Return a view whose elements lie one after the other."""
    last = first + tensor.numel()
    if last > whole.fake.numel():
        return None
    rows: ast.expr = name_expression(whole.name)
    if tensor.numel() < whole.fake.numel():
        flat = _method(rows, "view", ast.Constant(value=-1))
        bounds = ast.Slice(lower=ast.Constant(value=first), upper=ast.Constant(value=last))
        rows = ast.Subscript(value=flat, slice=bounds, ctx=ast.Load())
    return _method(rows, "view", _numbers(tensor.shape))


@dataclass(slots=True)
class _Place:
    """A dimension of the whole, and where a view begins in it."""

    size: int
    stride: int
    start: int
    dimension: int | None = None
    """The dimension of the view that goes along it, if any does."""
    step: int = 1


def _indexed(tensor: torch.Tensor, whole: TensorValue, first: int) -> ast.expr | None:
    """Return a view as indices and slices of the whole, with its dimensions in their order."""
    places = []
    for size, stride in zip(whole.fake.shape, whole.fake.stride(), strict=True):
        step = int(stride) if size > 1 else 1  # of one place, the stride may be any number
        places.append(_Place(int(size), step, first // step % int(size)))
    for dimension, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if size > 1 and not _is_placed(places, dimension, int(size), int(stride)):
            return None
    parts = [_part(place, tensor) for place in places]
    taken: ast.expr = ast.Subscript(
        value=name_expression(whole.name), slice=ast.Tuple(elts=parts, ctx=ast.Load()),
        ctx=ast.Load(),
    )  # fmt: skip
    came = [place.dimension for place in places if place.dimension is not None]
    wanted = [dimension for dimension, size in enumerate(tensor.shape) if size > 1]
    if came != wanted:
        taken = _method(taken, "permute", _numbers([came.index(d) for d in wanted]))
    for dimension, size in enumerate(tensor.shape):
        if size == 1:
            taken = _method(taken, "unsqueeze", ast.Constant(value=dimension))
    return taken


def _is_placed(places: list[_Place], dimension: int, size: int, stride: int) -> bool:
    """Find a dimension of the whole along which a dimension of a view goes, in equal steps."""
    for place in sorted(places, key=lambda place: -place.stride):
        step = stride // place.stride
        fits = step > 0 and stride % place.stride == 0
        if fits and place.dimension is None and place.start + (size - 1) * step < place.size:
            place.dimension, place.step = dimension, step
            return True
    return False


def _part(place: _Place, tensor: torch.Tensor) -> ast.expr:
    start = ast.Constant(value=place.start)
    if place.dimension is None:
        return start
    last = place.start + (int(tensor.shape[place.dimension]) - 1) * place.step
    return ast.Slice(
        lower=start, upper=ast.Constant(value=last + 1), step=ast.Constant(value=place.step)
    )


def _numbers(numbers: Sequence[int]) -> ast.expr:
    return ast.Tuple(elts=[ast.Constant(value=int(n)) for n in numbers], ctx=ast.Load())


def _method(owner: ast.expr, name: str, argument: ast.expr) -> ast.expr:
    return call_expression(ast.Attribute(value=owner, attr=name, ctx=ast.Load()), [argument])
