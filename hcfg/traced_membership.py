"""Which elements are among others, of which a trace does not know how many there are.

PyTorch goes by their number, and reads the first one of those that are sorted. Here a place is
looked up in them, with one element more, so that there is something to read where there are none.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch.overrides import TorchFunctionMode

_PARAMETERS = ("elements", "test_elements")


class TracedMembership(TorchFunctionMode):
    """While active, ``torch.isin`` works on any number of elements."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if func is torch.isin:
            given = dict(zip(_PARAMETERS, args, strict=False)) | kwargs
            both: list[Any] = [given.get(name) for name in _PARAMETERS]
            if _is_open(both):
                found = _among(both[0], both[1])
                return ~found if given.get("invert") else found
        return func(*args, **kwargs)


def _is_open(values: Sequence[object]) -> bool:
    tensors = [value for value in values if isinstance(value, Tensor)]
    sizes = [size for tensor in tensors for size in tensor.shape]
    return len(tensors) == len(values) and any(isinstance(size, SymInt) for size in sizes)


def _among(elements: Tensor, others: Tensor) -> Tensor:
    kind = torch.result_type(elements, others)
    wanted, row = elements.to(kind), others.to(kind).reshape(-1).sort().values
    places = torch.searchsorted(row, wanted)
    is_inside = places < row.shape[0]
    return is_inside & (torch.cat([row, row.new_zeros(1)])[places] == wanted)
