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
    found = {storage_key(tensor): tensor for tensor in written}
    target, *read = _target_and_read(arguments, keywords)
    operands = [x for x in tree_leaves(read) if isinstance(x, FakeTensor)]
    shared = [x for x in operands if storage_key(x) in found]
    if not isinstance(target, FakeTensor) or not shared:
        return False
    try:
        for often in _OFTEN:
            contents = {key: _content(tensor, often) for key, tensor in found.items()}
            trials = [_Trial(contents), _Trial(contents, copies=True)]
            for trial in trials:
                trial.run(compute, arguments, keywords)
            after = zip(*(trial.bytes_of(contents) for trial in trials), strict=True)
            if not all(torch.equal(one, other) for one, other in after):
                return True
    except Exception:  # contents that it does not take: what it reads are no elements
        return not all(same_view(each, target) for each in shared)
    return False


_OFTEN = (0.1, 0.5, 0.9)
"""How many of the truths are true: some of what is made of few, or of many, changes nothing."""


def _target_and_read(arguments: list[object], keywords: dict[str, object]) -> list[object]:
    """Return what is written, ``out`` or the first operand, and then what is read."""
    others = [value for name, value in keywords.items() if name != "out"]
    first = [keywords["out"]] if "out" in keywords else arguments[:1]
    return [*(first or [None]), *arguments[0 if "out" in keywords else 1 :], *others]


def _content(tensor: torch.Tensor, often: float = 0.5) -> torch.Tensor:
    """Return elements for the memory of a tensor, of which few numbers are alike."""
    count = int(tensor.untyped_storage().nbytes()) // tensor.element_size()
    generator = torch.Generator().manual_seed(0)
    if tensor.dtype is torch.bool:
        return torch.rand(count, generator=generator) < often
    return torch.randint(1, 101, (count,), generator=generator).to(tensor.dtype)


class _Trial:
    """One run of an operation on tensors that are laid out as its operands are."""

    def __init__(self, contents: Mapping[int, torch.Tensor], *, copies: bool = False) -> None:
        """Begin with some contents of storages; masks choose some of others, which are zeros.

        With ``copies``, what is read are copies of the operands.
        """
        self._storages = {key: each.clone().untyped_storage() for key, each in contents.items()}
        self._copies = copies

    def run(
        self, compute: Callable[..., object], arguments: list[object], keywords: dict[str, object]
    ) -> None:
        """Run the operation."""
        given, named = tree_map(self._concrete, (arguments, keywords))
        if self._copies:
            first = 0 if "out" in keywords else 1
            given[first:] = tree_map(_copied, given[first:])
            named |= {name: tree_map(_copied, named[name]) for name in named.keys() - {"out"}}
        with torch.no_grad():
            compute(*given, **named)

    def bytes_of(self, keys: Iterable[int]) -> list[torch.Tensor]:
        """Return what storages hold."""
        return [torch.empty(0, dtype=torch.uint8).set_(self._storages[key]) for key in keys]

    def _concrete(self, content: object) -> object:
        if not isinstance(content, FakeTensor):
            return content.detach().clone() if isinstance(content, torch.Tensor) else content
        size = content.untyped_storage().nbytes()
        key = storage_key(content)
        if key not in self._storages:
            is_mask = content.dtype is torch.bool
            zeros = torch.zeros(int(size), dtype=torch.uint8)
            self._storages[key] = (_content(content) if is_mask else zeros).untyped_storage()
        made = torch.empty(0, dtype=content.dtype)
        made.set_(
            self._storages[key],
            int(content.storage_offset()),
            tuple(content.shape),
            content.stride(),
        )
        return made


def _copied(content: object) -> object:
    return content.clone() if isinstance(content, torch.Tensor) else content


def _overlaps(written: torch.Tensor, operands: Sequence[torch.Tensor]) -> bool:
    layout = zip(written.shape, written.stride(), strict=True)
    if any(step == 0 and size > 1 for size, step in layout):
        return True
    key = storage_key(written)
    return sum(storage_key(x) == key for x in operands) > 1
