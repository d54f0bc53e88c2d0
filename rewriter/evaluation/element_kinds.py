"""What PyTorch's kernels refuse for the types of its elements: fake tensors take any.

An operation is tried once for each choice of types, and of signs of numbers (integers have no
powers below 0), on zeros and on ones. It is refused for its
types where both raise, and another choice of types does not.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.utils._pytree import tree_leaves, tree_map

_ALL_TAKE = (torch.float32, torch.float64)
_MOST_ELEMENTS = 1 << 20
_BY_CONTENT = frozenset({"index", "index_put", "_index_put_impl", "_unsafe_index"})
"""Operations that do something else with masks than with places."""
_ASKED = (torch.dtype, bool, str)
"""Types of arguments that say what is computed, not how much."""
_taken: set[Hashable] = set()
"""Choices of types that kernels take: the same in all programs."""


def kind_error(func: Any, args: Any, kwargs: Any, result: object) -> Exception | None:
    """Return what a kernel raises for operands of these types, whatever they hold.

    ``result`` is what it gives for fake ones.
    """
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    if func.namespace != "aten" or all(tensor.dtype in _ALL_TAKE for tensor in tensors):
        return None
    if func.overloadpacket.__name__.rstrip("_") in _BY_CONTENT or func.is_view:
        return None
    if not all(map(_is_small, [*tensors, *tree_leaves(result)])):
        return None
    asked = tuple(str(x) for x in tree_leaves((args, kwargs)) if isinstance(x, _ASKED))
    signs = tuple(x < 0 for x in tree_leaves((args, kwargs)) if type(x) in (int, float))
    key = (func, asked, signs, tuple((x.dtype, x.dim(), x.numel() > 0) for x in tensors))
    if key in _taken:
        return None
    with unset_fake_temporarily(), torch.random.fork_rng(devices=[]), torch.no_grad():
        error = _error(func, args, kwargs, torch.zeros_like)
        if error is not None and _error(func, args, kwargs, torch.ones_like) is not None:
            if any(_error(func, args, kwargs, other) is None for other in _other_kinds()):
                return error
            return None
    _taken.add(key)
    return None


def _is_small(content: object) -> bool:
    """Return whether a tensor lies plainly in a little memory; True of what is none."""
    if not isinstance(content, torch.Tensor):
        return True
    sizes = content.shape
    plain = content.layout is torch.strided and all(isinstance(size, int) for size in sizes)
    return plain and not content.is_complex() and content.numel() <= _MOST_ELEMENTS


def _other_kinds() -> Iterator[Callable[[torch.Tensor], torch.Tensor]]:
    """Yield ways to make an operand of another type."""
    for truths, integers in (
        (torch.float32, torch.float32),
        (torch.int64, torch.int64),
        (torch.float32, torch.int64),
    ):
        for make in (torch.zeros_like, torch.ones_like):

            def other(
                x: torch.Tensor, truths: Any = truths, integers: Any = integers, make: Any = make
            ) -> torch.Tensor:
                kind = truths if x.dtype is torch.bool else integers
                made: torch.Tensor = make(x, dtype=torch.float32 if _is_real(x) else kind)
                return made

            yield other


def _is_real(x: torch.Tensor) -> bool:
    return x.dtype.is_floating_point


def _error(
    func: Any, args: Any, kwargs: Any, make: Callable[[torch.Tensor], torch.Tensor]
) -> Exception | None:
    def real(content: object) -> object:
        if not isinstance(content, torch.Tensor):
            return content
        if isinstance(content, FakeTensor):
            content = torch.empty(content.shape, dtype=content.dtype)
        return make(content)

    try:
        func(*tree_map(real, args), **tree_map(real, kwargs))
    except Exception as error:
        return error
    return None
