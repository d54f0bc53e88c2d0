"""Builds one Relax function, one tensor expression per operator.

Operators are written as tensor expressions of TVM rather than as operators of Relax: each then
means exactly what its formula says, element types included, and neighbours fuse by what they
read and write. The formulas stand in ``lowering_*.py``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from tvm import relax, te, tirx

from dycl.backends.tvm import formulas

Expression = Any
"""A scalar of TVM, a tensor expression or a Relax variable. TVM has no types to check by."""

Kind = ELEMENTWISE_TYPE_PROMOTION_KIND

NO_FAULT, BAD_INDEX, BAD_VALUE = 0, 1, 2
"""What the last output of a function with checks says; ``runtime.py`` raises for it."""


OWN, CONSTANT = -1, -2
"""Storage of tensors that a function makes, and of those that its code holds."""


class Unsupported(Exception):
    """An operator, or a use of it, that has no lowering. The text says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A tensor of the sub-DNN: its variable in the Relax function, and what it is."""

    variable: Expression
    shape: tuple[int, ...]
    dtype: torch.dtype
    storage: int = OWN
    """Tensors with one number share memory."""

    @property
    def meta(self) -> torch.Tensor:
        """Return a tensor without content that PyTorch can decide about element types by."""
        return torch.empty(self.shape, dtype=self.dtype, device="meta")

    @property
    def type_name(self) -> str:
        """Return the element type as TVM spells it."""
        return type_name(self.dtype)


@dataclass(slots=True, kw_only=True)
class Emitter:
    """What lowerings emit into; one for each function."""

    builder: relax.BlockBuilder
    faults: list[Tensor] = field(default_factory=list)
    """Scalars that are not zero where PyTorch would raise."""
    result: torch.Tensor = field(default_factory=lambda: torch.empty(0, device="meta"))
    """Shape and element type of what the current operator returns (the first, of several)."""

    def emit(
        self,
        name: str,
        formula: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[int],
        dtype: torch.dtype,
    ) -> Tensor:
        """Emit a formula over tensors; it must give a tensor expression of shape and type."""
        shape = tuple(int(size) for size in shape)
        if 0 in shape:  # nothing to compute, and loops of no steps trouble some passes
            zeros = relax.op.zeros(shape, type_name(dtype))
            return Tensor(variable=self.builder.emit(zeros), shape=shape, dtype=dtype)
        variable = self.builder.emit_te(
            formula, *(x.variable for x in inputs), primfunc_name_hint=name
        )
        return Tensor(variable=variable, shape=shape, dtype=dtype)

    def compute(
        self,
        name: str,
        element: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[int],
        dtype: torch.dtype,
    ) -> Tensor:
        """Emit ``output[i...] = element(index, *inputs)``, cast to ``dtype``."""

        def formula(*arrays: Expression) -> Expression:
            return te.compute(
                dimensions(shape),
                lambda *index: formulas.cast(element(index, *arrays), type_name(dtype)),
                name=name,
            )

        return self.emit(name, formula, inputs, shape, dtype)

    def pointwise(
        self,
        name: str,
        function: Callable[..., Expression],
        operands: Sequence["Tensor | bool | int | float"],
        kind: Kind = Kind.DEFAULT,
    ) -> Tensor:
        """Emit an operator of PyTorch's elementwise family, with its promotion of types."""
        if any(isinstance(x, complex) for x in operands):
            raise Unsupported(f"{name} of complex numbers")
        computed, result = elementwise_dtypes(
            *(x.meta if isinstance(x, Tensor) else x for x in operands), type_promotion_kind=kind
        )
        tensors = [x for x in operands if isinstance(x, Tensor)]
        inner = type_name(computed)

        def of_tensors(*elements: Expression) -> Expression:
            rest = iter(elements)
            return function(
                *(
                    formulas.cast(next(rest), inner)
                    if isinstance(x, Tensor)
                    else formulas.constant(x, inner)
                    for x in operands
                )
            )

        return self.elementwise(name, of_tensors, tensors, result)

    def elementwise(
        self,
        name: str,
        function: Callable[..., Expression],
        tensors: Sequence[Tensor],
        dtype: torch.dtype,
    ) -> Tensor:
        """Emit a formula over the elements of tensors that are broadcast to one shape."""
        shape = broadcast(tensors)

        def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
            return function(
                *(a(*aligned(index, x.shape)) for a, x in zip(arrays, tensors, strict=True))
            )

        return self.compute(name, element, tensors, shape, dtype)

    def cast(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        """Return a tensor with another element type."""
        if x.dtype == dtype:
            return x
        return self.compute("cast", lambda index, a: a(*index), [x], x.shape, dtype)

    def copy(self, x: Tensor) -> Tensor:
        """Return the same elements in memory of their own."""
        return self.compute("copy", lambda index, a: a(*index), [x], x.shape, x.dtype)

    def constant(self, tensor: torch.Tensor) -> Tensor:
        """Return a tensor of compile time."""
        array = tensor.detach().cpu().contiguous().numpy()
        return Tensor(
            variable=relax.const(array, type_name(tensor.dtype)),
            shape=tuple(tensor.shape),
            dtype=tensor.dtype,
            storage=CONSTANT,
        )

    def full(self, shape: Sequence[int], value: bool | int | float, dtype: torch.dtype) -> Tensor:
        """Return a tensor of one value."""
        number = formulas.constant(value, type_name(dtype))
        return self.compute("full", lambda _index: number, [], shape, dtype)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """Return the same elements in another shape, without moving them."""
        shape = tuple(int(size) for size in shape)
        if shape == x.shape:
            return x
        if 0 in shape:
            return self.full(shape, 0, x.dtype)
        variable = self.builder.emit(relax.op.reshape(x.variable, shape))
        storage = id(x.variable) if x.storage == OWN else x.storage
        return Tensor(variable=variable, shape=shape, dtype=x.dtype, storage=storage)

    def require(
        self,
        condition: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[int],
        fault: int,
    ) -> None:
        """Have the function report ``fault`` where the condition does not hold everywhere."""
        if 0 in tuple(shape):
            return

        def formula(*arrays: Expression) -> Expression:
            axes = [te.reduce_axis((zero(), size), name="k") for size in dimensions(shape)]
            failed = tirx.Select(
                condition(tuple(axes), *arrays),
                tirx.const(NO_FAULT, "int32"),
                tirx.const(fault, "int32"),
            )
            if not axes:
                return te.compute((), lambda: failed, name="check")
            return te.compute((), lambda: te.max(failed, axis=axes), name="check")

        self.faults.append(self.emit("check", formula, inputs, (), torch.int32))


def type_name(dtype: torch.dtype) -> str:
    """Return an element type as TVM spells it."""
    return str(dtype).removeprefix("torch.")


def broadcast(tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the shape that tensors are broadcast to together."""
    return tuple(np.broadcast_shapes(*(x.shape for x in tensors)))


def dimensions(shape: Sequence[int]) -> tuple[Expression, ...]:
    """Return sizes as TVM counts them: in 64 bits, so that no index overflows."""
    return tuple(tirx.IntImm("int64", int(size)) for size in shape)


def zero() -> Expression:
    """Return the index zero."""
    return tirx.IntImm("int64", 0)


def aligned(index: Sequence[Expression], shape: Sequence[int]) -> tuple[Expression, ...]:
    """Return where a tensor of ``shape`` is read that is broadcast to the shape of ``index``."""
    own = tuple(index)[len(tuple(index)) - len(shape) :]
    return tuple(zero() if size == 1 else i for i, size in zip(own, shape, strict=True))
