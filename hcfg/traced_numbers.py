"""Lets user code index, and make tensors, with numbers that a trace does not know.

PyTorch's C++ asks an index for its value. Here such an expression is spelled with the operations
that take a number of the trace: ``x[:, n]`` as ``select``, ``x[:n]`` as ``slice``. Without such a
number everything runs as it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import SymBool, SymFloat, SymInt, Tensor
from torch.overrides import TorchFunctionMode

_NUMBERS = (SymInt, SymFloat, SymBool)
_WHOLE = slice(None)


class TracedNumbers(TorchFunctionMode):
    """While active, tensors can be indexed by, and made of, numbers of a trace."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if func is Tensor.__getitem__ and _needs_respelling(args[1]):
            return _get(args[0], args[1])
        if func is Tensor.__setitem__ and _needs_respelling(args[1]):
            return _set(args[0], args[1], args[2])
        if func is torch.tensor and any(isinstance(n, _NUMBERS) for n in _leaves(args[0])):
            return torch._refs.tensor(*args, **kwargs)  # type: ignore[no-untyped-call]
        return func(*args, **kwargs)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _needs_respelling(index: object) -> bool:
    """Return whether an index holds numbers of a trace, in forms that can be spelled otherwise."""
    items = index if isinstance(index, tuple) else (index,)
    plain = all(
        item is None
        or item is Ellipsis
        or isinstance(item, slice | SymInt | Tensor)
        or type(item) is int
        for item in items
    )
    return plain and any(_is_traced(item) for item in items)


def _is_traced(item: object) -> bool:
    if isinstance(item, slice):
        return any(map(_is_traced, (item.start, item.stop, item.step)))
    return isinstance(item, SymInt) or _is_integer(item)


def _is_integer(item: object) -> bool:
    """Return whether an item is a tensor that PyTorch takes for an int."""
    return (
        isinstance(item, Tensor)
        and item.dim() == 0
        and not item.dtype.is_floating_point
        and item.dtype != torch.bool
    )


def _number(item: Any) -> Any:
    return item.item() if isinstance(item, Tensor) else item


def _step(step: Any) -> Any:
    """Return the step of a slice; the host has tested that one of run time is positive."""
    if isinstance(step, SymInt):
        return torch.sym_max(step, 1)  # type: ignore[no-untyped-call]
    return 1 if step is None else step


def _get(x: Tensor, index: object) -> Tensor:
    view, rest = _viewed(x, index)
    return view[tuple(rest)] if any(isinstance(item, Tensor) for item in rest) else view


def _set(x: Tensor, index: object, value: Any) -> None:
    view, rest = _viewed(x, index)
    if any(isinstance(item, Tensor) for item in rest):
        view[tuple(rest)] = value
    elif isinstance(value, Tensor):
        while value.dim() > view.dim() and value.shape[0] == 1:
            value = value.squeeze(0)
        view.copy_(value)
    else:
        view.fill_(value)


def _viewed(x: Tensor, index: object) -> tuple[Tensor, list[Any]]:
    """Apply what makes views, in order; return the view and what is left to index it with."""
    items = list(index) if isinstance(index, tuple) else [index]
    rest: list[Any] = []
    for position, item in enumerate(items):
        dim = sum(_width(kept) for kept in rest)
        if item is None:
            x = x.unsqueeze(dim)
            rest.append(_WHOLE)
        elif item is Ellipsis:
            later = sum(_consumed(each) for each in items[position + 1 :])
            rest += [_WHOLE] * (x.dim() - dim - later)
        elif isinstance(item, slice):
            start, stop, step = map(_number, (item.start, item.stop, item.step))
            x = torch.ops.aten.slice.Tensor(x, dim, start, stop, _step(step))
            rest.append(_WHOLE)
        elif isinstance(item, Tensor) and not _is_integer(item):
            rest.append(item)
        else:
            x = x.select(dim, _number(item))
    return x, rest


def _width(item: object) -> int:
    """Return how many dimensions of the view an item that is kept stands for."""
    return item.dim() if isinstance(item, Tensor) and item.dtype == torch.bool else 1


def _consumed(item: object) -> int:
    """Return how many dimensions of the tensor an item of an index stands for."""
    if item is None:
        return 0
    return _width(item)
