"""The table of lowerings: which function emits which operator of PyTorch.

An operator that is not in the table is refused; there is no way around it, so that what a
backend's own importer would make of it never gets into a package unseen.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch

from dycl.backends.tvm.emitter import Emitter, Kind
from dycl.backends.tvm.formulas import dtype_of
from dycl.backends.tvm.operands import Unsupported
from dycl.backends.tvm.tensors import Expression, Tensor

Lowering = Callable[..., Tensor | tuple[Tensor, ...]]
"""Takes the emitter and the operator's arguments, with ``Tensor`` for each tensor."""

Registered = TypeVar("Registered", bound=Lowering)

LOWERINGS: dict[str, Lowering] = {}

KEEPS_BLOCKS: set[str] = set()
"""Operators whose lowering takes images in blocks; others get them as plain tensors."""


def lowers(*operators: str, blocks: bool = False) -> Callable[[Registered], Registered]:
    """Register a lowering for operators, named as in ``aten.add.Tensor`` without ``aten.``."""

    def register(lowering: Registered) -> Registered:
        for operator in operators:
            assert operator not in LOWERINGS, operator
            LOWERINGS[operator] = lowering
            if blocks:
                KEEPS_BLOCKS.add(operator)
        return lowering

    return register


def lower_pointwise(
    function: Callable[..., Expression], *operators: str, kind: Kind = Kind.DEFAULT
) -> None:
    """Register an operator that is one formula per element."""
    name = operators[0].partition(".")[0].strip("_")

    def lowering(emitter: Emitter, *operands: Any) -> Tensor:
        return emitter.pointwise(name, function, operands, kind)

    lowers(*operators, blocks=True)(lowering)


def split_booleans(
    ofsplit_booleanss: Callable[..., Expression], otherwise: Callable[..., Expression]
) -> Callable[..., Expression]:
    """Return a formula that is another one for booleans."""

    def function(*values: Expression) -> Expression:
        return (ofsplit_booleanss if dtype_of(values[0]) == "bool" else otherwise)(*values)

    return function


def dimension(dim: int, rank: int) -> int:
    """Return a dimension counted from the front."""
    return dim % max(rank, 1)


def dimensions_of(dims: Any, rank: int) -> tuple[int, ...]:
    """Return dimensions as PyTorch's reductions name them: one, some, or none for all."""
    if dims is None:
        return tuple(range(rank))
    if isinstance(dims, int):
        dims = (dims,)
    if len(dims) == 0:
        return tuple(range(rank))
    return tuple(sorted({dimension(dim, rank) for dim in dims})) if rank else ()


def unsupported(what: str) -> Unsupported:
    """Return the error that refuses a use of an operator."""
    return Unsupported(what)


def accumulated(dtype: torch.dtype) -> torch.dtype:
    """Return the element type in which sums of ``dtype`` are kept while they grow."""
    return torch.float32 if dtype == torch.float16 else dtype
