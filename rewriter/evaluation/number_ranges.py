"""Numbers beyond the range of the elements: PyTorch's kernels refuse some, fake tensors take any.

Which ones is for the kernel to say: ``x * 1e308`` is infinite, ``x.add(x, alpha=1e308)`` raises.
So where there is such a number, the operation is tried on ones.
"""

import math
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.putting import check_put

_NUMBERS = frozenset({"number", "float", "Optional[number]", "Optional[float]"})
"""Types of parameters that are numbers to compute with, as PyTorch's schemas name them."""
_REFUSAL = "without overflow"
"""What PyTorch says of a number that it does not convert."""


class NumbersChecked(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own
    """Raises what kernels raise for numbers beyond their elements, and for what does not fit."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        kwargs = kwargs or {}
        check_put(func, args)
        result = func(*args, **kwargs)
        error = number_error(func, args, kwargs, result)
        if error is not None:
            raise error
        return result


def number_error(func: Any, args: Any, kwargs: Any, result: object) -> Exception | None:
    """Return what a kernel raises for a number that its elements cannot be.

    ``result`` is what it gives for fake tensors.
    """
    numbers = _numbers(func, args, kwargs)
    if not numbers or func.namespace != "aten":
        return None
    leaves = tree_leaves((args, kwargs, result))
    kinds = {x.dtype for x in leaves if isinstance(x, torch.Tensor)}
    if any(_is_beyond(number, kind) for number in numbers for kind in kinds):
        return _raised(func, args, kwargs)
    return None


def _numbers(func: Any, args: Any, kwargs: Any) -> list[int | float]:
    """Return the numbers that an operation is to compute with."""
    parameters = func._schema.arguments
    given = {**dict(zip((p.name for p in parameters), args, strict=False)), **kwargs}
    names = [p.name for p in parameters if str(p.type) in _NUMBERS]
    return [given[name] for name in names if type(given.get(name)) in (int, float)]


def _is_beyond(number: int | float, kind: torch.dtype) -> bool:
    """Return whether no element of a type is near a number."""
    if kind is torch.bool:
        return False
    if kind.is_floating_point or kind.is_complex:
        return abs(number) > torch.finfo(kind).max and abs(number) != math.inf
    bounds = torch.iinfo(kind)
    return not bounds.min <= number <= bounds.max  # which NaN is not, either


def _raised(func: Any, args: Any, kwargs: Any) -> Exception | None:
    """Return what the kernel raises of a number, for ones."""
    with unset_fake_temporarily(), torch.random.fork_rng(devices=[]), torch.no_grad():
        try:
            func(*tree_map(_ones, args), **tree_map(_ones, kwargs))
        except RuntimeError as error:
            return error if _REFUSAL in str(error) else None
    return None


def _ones(content: object) -> object:
    """Return a tensor of ones for a tensor; 1, which fits most others, for a size of run time."""
    if isinstance(content, torch.SymInt):
        return 1
    if not isinstance(content, torch.Tensor):
        return content
    sizes = [1 if isinstance(size, torch.SymInt) else size for size in content.shape]
    return torch.ones(sizes, dtype=content.dtype)
