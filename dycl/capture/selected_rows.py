"""Rows of tensors that are written into, where sizes are known only at run time.

What is written into a part that ``unbind`` gave is put back into the whole by PyTorch when it
makes code without writing out of code with. For that it wants all sizes as numbers, and fails
where one is unknown. A part that ``select`` gave is put back without a question.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from rewriter.size_expressions import is_fixed

_TAKING_APART = (torch.Tensor.unbind, torch.unbind)


class SelectedRows(TorchFunctionMode):
    """While active, tensors whose sizes are not all known are taken apart one by one."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Select each row where the number of them is known."""
        kwargs = kwargs or {}
        if func not in _TAKING_APART:
            return func(*args, **kwargs)
        return _rows(func, *args, **kwargs)


def _rows(func: Callable[..., Any], input: torch.Tensor, dim: int = 0) -> Any:
    if is_fixed(input) or type(input.shape[dim]) is not int:
        return func(input, dim)
    return tuple(input.select(dim, i) for i in range(input.shape[dim]))


def may_write_into_rows(operations: Iterable[str]) -> bool:
    """Return whether code takes tensors apart and writes in place, which may be into the parts."""
    text = "\n".join(operations)
    return "aten.unbind." in text and _WRITING.search(text) is not None


_WRITING = re.compile(r"\baten\.(\w+_\.|\w+\.\w*out\b)")
"""Names of operators that write: ``aten.add_.Tensor``, ``aten.add.out``."""
