"""Equal elements, of which PyTorch leaves open in which order their places come.

Its ``topk``, and its ``sort`` without ``stable=True``, give another order for another length or
processor. A backend that keeps equal elements in the order in which they stand computes the same.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

_aten = torch.ops.aten


class TiesInOrder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While active, equal elements keep their order wherever PyTorch leaves that open."""

    def __init__(self) -> None:
        """Note in ``were_open`` whether there was such an operation."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.were_open = False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run an operation, or the one that keeps the order in its place."""
        found = _IN_ORDER.get(func)
        self.were_open = self.were_open or found is not None
        return (found or func)(*args, **(kwargs or {}))


def _sort(
    x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None
) -> tuple[Tensor, ...]:
    return tuple(_aten.sort.stable(x, stable=True, dim=dim, descending=descending))


def _topk(
    x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, ...]:
    values, places = _aten.topk.default(x, k, dim, largest, sorted)  # raises as PyTorch does
    if x.dim() == 0:
        return values, places
    in_order = _sort(x, dim, largest)
    return tuple(each.narrow(dim, 0, k) for each in in_order)


_IN_ORDER: Mapping[Any, Callable[..., tuple[Tensor, ...]]] = {
    _aten.sort.default: _sort,
    _aten.sort.stable: _sort,
    _aten.topk.default: _topk,
}
