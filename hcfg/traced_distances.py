"""Distances between rows, of which a trace does not know how many there are.

PyTorch takes another formula for many rows than for few, and another way where there are none.
Backends subtract rows whichever it is; here that is spelled out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch.overrides import TorchFunctionMode

_PARAMETERS = ("x1", "x2", "p", "compute_mode")
_BY_NUMBER_OF_ROWS = (None, "use_mm_for_euclid_dist_if_necessary", "donot_use_mm_for_euclid_dist")


class TracedDistances(TorchFunctionMode):
    """While active, ``torch.cdist`` works on any number of rows."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if func is torch.cdist:
            given = dict(zip(_PARAMETERS, args, strict=False)) | kwargs
            if _is_euclidean(given) and _is_open(given["x1"], given["x2"]):
                return _euclidean(given["x1"], given["x2"])
        return func(*args, **kwargs)


def _is_euclidean(given: Mapping[str, Any]) -> bool:
    return given.get("p", 2.0) == 2 and given.get("compute_mode") in _BY_NUMBER_OF_ROWS


def _is_open(one: Tensor, two: Tensor) -> bool:
    """Return whether a number of rows is not known, and PyTorch certainly takes the two."""
    if one.dim() < 2 or two.dim() < 2 or not one.dtype == two.dtype == torch.float32:
        return False
    columns = one.shape[-1], two.shape[-1]
    fit = type(columns[0]) is type(columns[1]) is int and columns[0] == columns[1]
    return fit and any(isinstance(size, SymInt) for size in (*one.shape, *two.shape))


def _euclidean(one: Tensor, two: Tensor) -> Tensor:
    apart = one.unsqueeze(-2) - two.unsqueeze(-3)
    return (apart * apart).sum(-1).sqrt()
