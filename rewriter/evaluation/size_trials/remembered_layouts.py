"""What an operation on sizes known only at run time gave, made again without running it.

Only of what computes one new tensor, or a view of an operand, whose layout the operands' symbols
say, and does nothing else. Whether its memory is new is seen by two runs: it is another each time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.observation import Observer
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.likeness import Likeness
from rewriter.evaluation.size_trials.verdicts import Computed
from rewriter.size_expressions import Size, is_dense_layout
from rewriter.sizes import Sizes, UndecidedSize
from rewriter.storages import storage_key

_Size: TypeAlias = int | sympy.Basic


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedLayout:
    """All about a fake tensor that an operation gives, in the symbols of its operands."""

    dtype: torch.dtype
    device: torch.device
    shape: tuple[_Size, ...]
    strides: tuple[_Size, ...]
    offset: _Size
    base: int | None
    """Which leaf of the operands it is a view of, None where its memory is its own."""
    is_dense: bool
    """Whether it has memory of its own, row by row."""
    may_raise: bool

    def made(
        self, call: SizedCall, renamed: Mapping[sympy.Symbol, sympy.Symbol]
    ) -> tuple[FakeTensor, Observer]:
        """Return the tensor for other operands, and what would be observed of the operation."""
        sizes = call.run.sizes
        shape = [_renamed(size, renamed, sizes) for size in self.shape]
        strides = [_renamed(size, renamed, sizes) for size in self.strides]
        if self.is_dense:
            new = torch.empty(shape, dtype=self.dtype, device="meta")
        elif self.base is None:
            new = torch.empty_strided(shape, strides, dtype=self.dtype, device="meta")
        else:
            base = tree_leaves(call.operands)[self.base]
            new = torch.empty(0, dtype=self.dtype, device="meta")
            offset = _renamed(self.offset, renamed, sizes)
            new.set_(base.untyped_storage(), offset, shape, strides)
        observer = Observer()
        observer.may_raise = self.may_raise
        return FakeTensor(call.run.mode, new, self.device), observer


def _renamed(size: _Size, renamed: Mapping[sympy.Symbol, sympy.Symbol], sizes: Sizes) -> Size:
    if isinstance(size, int):
        return size
    made: Size = sizes.create_symintnode(size.xreplace(renamed), hint=None)
    return made


def layout_of(
    call: SizedCall, verdict: Computed, before: FakeTensor | None, like: Likeness
) -> SizedLayout | None:
    """Return the layout of a result; None where there is more to say of the operation.

    ``before`` is what an operation like it gave.
    """
    result, observer = verdict.result, verdict.observer
    if before is None or verdict.facts or not is_plain(result) or _does_more(observer):
        return None
    assert isinstance(result, FakeTensor)
    operands = tree_leaves(call.operands)
    key = storage_key(result)
    bases = [
        place
        for place, operand in enumerate(operands)
        if isinstance(operand, FakeTensor) and storage_key(operand) == key
    ]
    convert, mode = call.run.mode.fake_tensor_converter.from_real_tensor, call.run.mode
    others = [before, *(convert(mode, weight) for weight in like.weights)]
    is_shared = any(storage_key(other) == key for other in others)
    is_shared |= any(operand is result for operand in operands)
    *parts, _ = _parts(result)
    known = set(like.symbols)
    if is_shared or any(p.free_symbols - known for p in parts if not isinstance(p, int)):
        return None
    layout = SizedLayout(
        dtype=result.dtype,
        device=result.device,
        shape=tuple(parts[: result.dim()]),
        strides=tuple(parts[result.dim() : -1]),
        offset=parts[-1],
        base=bases[0] if bases else None,
        is_dense=not bases and is_dense_layout(result),
        may_raise=observer.may_raise,
    )
    try:
        again, _ = layout.made(call, {})
    except (RuntimeError, UndecidedSize):
        return None
    return layout if _parts(again) == _parts(result) else None


def _parts(tensor: torch.Tensor) -> tuple[_Size, ...]:
    """Return the sizes, the layout, and how much memory there is, as expressions."""
    memory = tensor.untyped_storage().nbytes()
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), memory)
    return tuple(p if isinstance(p, int) else sympy.expand(p.node.expr) for p in parts)


def _does_more(observer: Observer) -> bool:
    """Return whether an operation does more than to give a tensor."""
    noted = (observer.written, observer.reshaped, observer.random, observer.read_content)
    return any(noted)


def is_plain(result: object) -> bool:
    """Return whether a layout and a place in memory say all about a result."""
    return (
        type(result) is FakeTensor
        and result.layout is torch.strided
        and result.constant is None
        and not (result.requires_grad or result.is_conj() or result.is_neg())
    )
