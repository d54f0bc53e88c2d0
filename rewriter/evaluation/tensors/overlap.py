"""Writes into memory that is read, too: PyTorch raises, or reads what it has written.

Which of both, and what comes of it, depends on shapes, strides and storages only, so it is found by
running the operation on tensors laid out as the operands are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.storages import same_view, storage_key


def overlap_error(
    compute: Callable[..., object],
    arguments: list[object],
    keywords: dict[str, object],
    written: Sequence[torch.Tensor],
) -> Exception | None:
    """Return what PyTorch raises where an operation writes into memory that overlaps."""
    operands = [x for x in tree_leaves((arguments, keywords)) if isinstance(x, FakeTensor)]
    if not any(_overlaps(tensor, operands) for tensor in written):
        return None
    try:
        _Trial({}).run(compute, arguments, keywords)
    except RuntimeError as error:
        return error if "memory location" in str(error) else None
    return None


def reads_what_it_wrote(
    compute: Callable[..., object],
    arguments: list[object],
    keywords: dict[str, object],
    written: Sequence[torch.Tensor],
) -> bool:
    """Return whether an operation gives something else where it reads copies of its operands."""
    first, *others = arguments or [None]
    read = [x for x in tree_leaves(others) if isinstance(x, FakeTensor)]
    found = {storage_key(tensor): tensor for tensor in written}
    apart = [x for x in read if (t := found.get(storage_key(x))) is not None and x is not t]
    if not isinstance(first, FakeTensor) or not apart:
        return False
    contents = {key: _content(tensor) for key, tensor in found.items()}
    trials = [_Trial(contents), _Trial(contents, [x for x in apart if not same_view(x, first)])]
    try:
        for trial in trials:
            trial.run(compute, arguments, keywords)
    except Exception:  # contents that it does not take: what it reads are no elements
        return True
    contents_after = zip(*(trial.bytes_of(contents) for trial in trials), strict=True)
    return not all(torch.equal(one, other) for one, other in contents_after)


def _content(tensor: torch.Tensor) -> torch.Tensor:
    """Return elements for the memory of a tensor, of which few are alike."""
    count = int(tensor.untyped_storage().nbytes()) // tensor.element_size()
    generator = torch.Generator().manual_seed(0)
    highest = 2 if tensor.dtype is torch.bool else 100
    return torch.randint(1, highest + 1, (count,), generator=generator).to(tensor.dtype)


class _Trial:
    """One run of an operation on tensors that are laid out as its operands are."""

    def __init__(
        self, contents: Mapping[int, torch.Tensor], copied: Sequence[torch.Tensor] = ()
    ) -> None:
        """Begin with some contents of storages, zeros in others; some operands are copies."""
        self._storages = {key: each.clone().untyped_storage() for key, each in contents.items()}
        self._copied = {id(each) for each in copied}

    def run(
        self, compute: Callable[..., object], arguments: list[object], keywords: dict[str, object]
    ) -> None:
        """Run the operation."""
        with torch.no_grad():
            compute(*tree_map(self._concrete, arguments), **tree_map(self._concrete, keywords))

    def bytes_of(self, keys: Iterable[int]) -> list[torch.Tensor]:
        """Return what storages hold."""
        return [torch.empty(0, dtype=torch.uint8).set_(self._storages[key]) for key in keys]

    def _concrete(self, content: object) -> object:
        if not isinstance(content, FakeTensor):
            return content.detach().clone() if isinstance(content, torch.Tensor) else content
        size = content.untyped_storage().nbytes()
        key = storage_key(content)
        if key not in self._storages:
            self._storages[key] = torch.zeros(int(size), dtype=torch.uint8).untyped_storage()
        made = torch.empty(0, dtype=content.dtype)
        made.set_(
            self._storages[key],
            int(content.storage_offset()),
            tuple(content.shape),
            content.stride(),
        )
        return made.clone() if id(content) in self._copied else made


def _overlaps(written: torch.Tensor, operands: Sequence[torch.Tensor]) -> bool:
    layout = zip(written.shape, written.stride(), strict=True)
    if any(step == 0 and size > 1 for size, step in layout):
        return True
    key = storage_key(written)
    return sum(storage_key(x) == key for x in operands) > 1
