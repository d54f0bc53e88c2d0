"""Views whose operand lies otherwise in memory than in the program.

At the border of a sub-DNN every tensor lies by rows. What the program views there
(``x.transpose(1, 2).contiguous().view(n, -1)``, where the transposed tensor lay by rows already)
may have to be copied here. Code that then writes into one of the two is refused (``watch.py``).

The average of everything is a mean, which PyTorch then lays out like its operand, channels last, by
``as_strided_``. That means nothing without memory, and is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._prims_common import is_contiguous_or_false
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes

from rewriter.size_expressions import is_fixed

_COPYING: dict[object, Callable[..., torch.Tensor]] = {
    torch.Tensor.view: torch.Tensor.reshape,
    torch.Tensor.view_as: torch.Tensor.reshape_as,
}


_AVERAGES = {f"adaptive_avg_pool{rank}d": rank for rank in (1, 2, 3)}
"""Functions that are a mean where one number is wanted, and over how many dimensions."""
_POOLED = ("input", "output_size")
"""Their parameters."""


class TracedViews(TorchFunctionMode):
    """While active, ``view`` copies where the layout of its operand leaves no other way."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Copy what has no view of that shape, and average."""
        kwargs = dict(kwargs or {})
        rank = _AVERAGES.get(getattr(func, "__name__", ""))
        if rank is not None and not torch.is_autocast_enabled("cpu"):
            x, *sizes = *args, *(kwargs[name] for name in _POOLED if name in kwargs)
            if x.dim() > rank and _are_one(*sizes):
                return x.mean(tuple(range(-rank, 0)), keepdim=True)
        copying = _COPYING.get(func)
        if copying is None or isinstance(args[-1], torch.dtype) or "dtype" in kwargs:
            return func(*args, **kwargs)
        if is_contiguous_or_false(args[0]):
            return func(*args, **kwargs)
        given = {_NAMES.get(key, key): value for key, value in kwargs.items()}
        if is_fixed(args[0]):
            return copying(*args, **given)
        # PyTorch asks about sizes for ``reshape``, and a ``view`` that fails stays in a trace.
        rows = args[0].clone(memory_format=torch.contiguous_format)
        return func(args[0] if _has_view(func, args, kwargs) else rows, *args[1:], **kwargs)


def _are_one(sizes: int | Sequence[int | None] | None) -> bool:
    return all(size == 1 for size in (sizes if isinstance(sizes, list | tuple) else [sizes]))


_NAMES = {"size": "shape"}
"""What ``reshape`` calls the parameters of ``view``."""


def _has_view(func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Return whether the view is one in PyTorch's eyes, which may not tell by unknown sizes."""
    x, *others = args
    with _disable_current_modes():
        like = torch.empty_strided(x.shape, x.stride(), device="meta")
        shape = others[0].shape if func is torch.Tensor.view_as else [*others, *kwargs.values()]
        try:
            torch._refs._reshape_view_helper(like, *shape, allow_copy=False)
        except ValueError:
            return False
        except GuardOnDataDependentSymNode:
            return True
    return True
