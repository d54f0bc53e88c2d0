"""``as_strided``: which elements it shows is known where the tensor's layout is.

    x                             2 rows of 3, in memory 0 1 2 3 4 5
    y = x.t()                     its elements, in its own order, lie at 0 3 1 4 2 5
    y.as_strided((3, 2), (1, 3))  at 0 3, 1 4, 2 5: the elements 0 1, 2 3, 4 5 of y

Compiled code keeps no layouts, so the elements are taken by their places in the tensor's own
order, where these go in equal steps along each dimension of the result. PyTorch gives a view, this
a copy: neither is written.
"""

import inspect

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import strided
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, TensorValue, Value

_MOST_ELEMENTS = 1 << 24
"""Of the result, and of the memory: a place is computed for each."""
_ITS_OWN = Known(None)
"""Where a tensor begins in memory."""


def strided_view(
    frame: Frame, node: cst.CSTNode, state: State, given: list[Value], keywords: dict[str, Value]
) -> Outcomes | None:
    """Evaluate ``as_strided``; None where it is no choice of elements in equal steps."""
    try:
        arguments = inspect.signature(_as_strided).bind(*given, **keywords).arguments
    except TypeError:
        return None
    source = tensor_of(arguments["input"])
    if source is None or not is_fixed(source):
        return None
    first = arguments.get("storage_offset", _ITS_OWN)
    size, stride = (_numbers(state, arguments[name]) for name in ("size", "stride"))
    if size is None or stride is None or not isinstance(first, Known):
        return None
    require_rows(frame, node)
    start = source.storage_offset() if first.value is None else first.value
    held = source.untyped_storage().nbytes() // source.element_size()
    if type(start) is not int or not isinstance(held, int):
        return None
    if held > _MOST_ELEMENTS or torch.Size(size).numel() > _MOST_ELEMENTS:
        return None
    try:
        torch.empty(held, dtype=source.dtype).as_strided(size, stride, start)
    except RuntimeError as error:
        frame.run.raise_known(state, error)
        return iter(())
    places = _order(source, held).as_strided(size, stride, start)
    steps = _steps(places)
    if steps is None or bool((places < 0).any()):
        if storage_key(source) in frame.run.storages.laid_apart:
            frame.refuse("DYCL404", node, "this reads memory by the layout of another such view")
        return None
    begin = int(places.flatten()[0]) if places.numel() else 0
    with frame.run.mode:  # what it is asked for, and views of it, go by how it lies in PyTorch
        lying = torch.empty(held, dtype=source.dtype).as_strided(size, stride, start)
    return _taken(frame, node, state, arguments["input"], begin, steps, lying)


def require_rows(frame: Frame, node: cst.CSTNode) -> None:
    """Have calls give tensors that lie by rows: memory is read as in those of the example."""
    if frame.run.argument_objects.learned:
        frame.refuse(
            "DYCL042", node, "this reads memory: tensors of run-time lists may lie otherwise"
        )
    frame.run.argument_objects.by_rows = True


def _as_strided(input: Value, size: Value, stride: Value, storage_offset: Value = _ITS_OWN) -> None:
    """Has the parameters of ``torch.as_strided``."""


def _numbers(state: State, value: Value) -> list[int] | None:
    items = sequence_items(state, value)
    if items is None:
        return None
    numbers = [item.value for item in items if isinstance(item, Known) and type(item.value) is int]
    return numbers if len(numbers) == len(items) else None


def _order(source: torch.Tensor, held: int) -> torch.Tensor:
    """Return which element of a tensor lies at each place in memory, -1 where none does."""
    memory = torch.full((held,), -1).numpy()
    lies = torch.arange(held).as_strided(source.shape, source.stride(), source.storage_offset())
    # of elements that share a place the first counts: it is written last
    memory[lies.flatten().flip(0).numpy()] = torch.arange(source.numel()).flip(0).numpy()
    return torch.from_numpy(memory)


def _steps(places: torch.Tensor) -> list[tuple[int, int]] | None:
    """Return the numbers and the distances of places along each dimension, None where uneven."""
    if not places.numel():
        return [(number, 0) for number in places.shape]
    counted = places.flatten()[0]
    steps = []
    for dim, number in enumerate(places.shape):
        along = places[tuple(slice(2) if d == dim else 0 for d in range(places.dim()))]
        step = int(along[1] - along[0]) if number > 1 else 0
        counted = counted.unsqueeze(-1) + torch.arange(number) * step
        steps.append((number, step))
    return steps if torch.equal(counted, places) else None


def _taken(
    frame: Frame, node: cst.CSTNode, state: State, source: Value, first: int,
    steps: list[tuple[int, int]], lying: torch.Tensor,
) -> Outcomes:  # fmt: skip
    given = [source, Known(first), Known(tuple(steps))]
    viewed = tensor_of(source)
    for after, result in call_value(frame, node, state, Known(strided.in_steps), given, {}):
        if isinstance(result, TensorValue) and viewed is not None:
            frame.run.storages.relate(lying, viewed)
            frame.run.storages.laid_apart.add(storage_key(lying))
            yield after, TensorValue(result.name, lying)
        else:
            yield after, result
