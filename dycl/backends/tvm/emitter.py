"""Builds one Relax function, one tensor expression per operator.

Operators are written as tensor expressions of TVM rather than as operators of Relax: each then
means exactly what its formula says, element types included, and neighbours fuse by what they
read and write. The formulas stand in ``lowering_*.py``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from tvm import relax, te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.operands import Result, Unsupported, aligned, kind_of, scalar, zero
from dycl.backends.tvm.run_time_sizes import RunTimeSizes
from dycl.backends.tvm.sizes import (
    Size,
    all_known,
    dimensions,
    normal,
    product_of,
)
from dycl.backends.tvm.tensors import (
    CONSTANT,
    OWN,
    Expression,
    Recipe,
    Tensor,
    raw,
    type_name,
)

Kind = ELEMENTWISE_TYPE_PROMOTION_KIND

NO_FAULT, BAD_INDEX, BAD_VALUE = 0, 1, 2
"""What the last output of a function with checks says; ``runtime.py`` raises for it."""


@dataclass(slots=True, kw_only=True)
class Emitter:
    """What lowerings emit into; one for each function."""

    builder: relax.BlockBuilder
    lanes: int = 0
    """How many numbers one instruction takes; 0: images stay as they are."""
    bound: list[Tensor] = field(default_factory=list)
    """What the function takes after its inputs: the tensors with recipes that it uses."""
    faults: list[Tensor] = field(default_factory=list)
    """Scalars that are not zero where PyTorch would raise."""
    result: Result = field(
        default_factory=lambda: Result(name="", meta=torch.empty(0, device="meta"))
    )
    """What the current operator returns."""
    sizes: RunTimeSizes = field(init=False)

    def __post_init__(self) -> None:
        """Begin without integers of run time."""
        self.sizes = RunTimeSizes(builder=self.builder)

    def emit(
        self,
        name: str,
        formula: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[Size],
        dtype: torch.dtype,
        pattern: int | None = None,
    ) -> Tensor:
        """Emit a formula over tensors; it must give a tensor expression of shape and type.

        ``pattern`` is TVM's number for what it may be fused with; None: TVM finds out.
        """
        if dtype is torch.bfloat16:  # TVM leaves out the pairs of casts, and with them the rounding
            raise Unsupported(f"{name} in bfloat16, which TVM computes in float32")
        shape = tuple(map(normal, shape))
        if 0 in shape:  # nothing to compute, and loops of no steps trouble some passes
            sizes = shape if all_known(shape) else relax.ShapeExpr(dimensions(shape))
            zeros = relax.op.zeros(sizes, type_name(dtype))
            return Tensor(variable=self.builder.emit(zeros), shape=shape, dtype=dtype)
        variables = [self.variable(x) for x in inputs]
        attributes = {} if pattern is None else {"op_pattern": pattern}
        if self.sizes:
            found = self.sizes.emit(name, formula, variables, attributes)
            return Tensor(variable=found, shape=shape, dtype=dtype)
        variable = self.builder.emit_te(
            formula, *variables, primfunc_name_hint=name, primfunc_attrs=attributes
        )
        return Tensor(variable=variable, shape=shape, dtype=dtype)

    def compute(
        self,
        name: str,
        element: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[Size],
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
        operands: Sequence["Tensor | bool | int | float | Size"],
        kind: Kind = Kind.DEFAULT,
    ) -> Tensor:
        """Emit an operator of PyTorch's elementwise family, with its promotion of types."""
        if any(isinstance(x, complex) for x in operands):
            raise Unsupported(f"{name} of complex numbers")
        computed, result = elementwise_dtypes(
            *(kind_of(x) for x in operands), type_promotion_kind=kind
        )
        tensors = [x for x in operands if isinstance(x, Tensor)]
        inner = type_name(computed)

        def of_tensors(*elements: Expression) -> Expression:
            rest = iter(elements)
            return function(
                *(
                    formulas.cast(next(rest), inner) if isinstance(x, Tensor) else scalar(x, inner)
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
        common = self.broadcast(tensors)
        images = [x for x in tensors if x.block]
        if images and images[0].shape == common:
            aligned_tensors = [self.in_blocks(x, images[0]) for x in tensors]
            raw = self.elementwise(name, function, aligned_tensors, dtype)
            return replace(raw, shape=images[0].shape, block=images[0].block)
        tensors = [self.plain(x) for x in tensors]

        def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
            return function(
                *(a(*aligned(index, x.shape, common)) for a, x in zip(arrays, tensors, strict=True))
            )

        return self.compute(name, element, tensors, common, dtype)

    def broadcast(self, tensors: Sequence[Tensor]) -> tuple[Size, ...]:
        """Return the shape that tensors are broadcast to together."""
        rank = max((len(x.shape) for x in tensors), default=0)
        padded = [(1,) * (rank - len(x.shape)) + x.shape for x in tensors]
        return tuple(reduce(self.sizes.common, sizes) for sizes in zip(*padded, strict=True))

    def in_blocks(self, x: Tensor, image: Tensor) -> Tensor:
        """Return what is broadcast to ``image`` as a plain tensor of the image's memory."""
        if x.block:
            return raw(x) if x.block == image.block else self.in_blocks(self.plain(x), image)
        sample, channels, *place = (1,) * (4 - len(x.shape)) + x.shape
        block = image.block if channels > 1 else 1
        if place == [1, 1] or block == 1:  # the elements stand in the right order already
            return self.reshape(x, (sample, channels // block, *place, block))

        def element(index: Sequence[Expression], a: Expression) -> Expression:
            n, outer, row, column, inner = index
            full = (n, outer * block + inner, row, column)
            return a(*full[4 - len(x.shape) :])

        shape = (sample, channels // block, *place, block)
        return self.compute("pack", element, [x], shape, x.dtype)

    def plain(self, x: Tensor) -> Tensor:
        """Return an image whose memory is as its shape says."""
        block = x.block
        if not block:
            return x

        def element(index: Sequence[Expression], a: Expression) -> Expression:
            n, channel, row, column = index
            outer, inner = tirx.floordiv(channel, block), tirx.floormod(channel, block)
            return a(n, outer, row, column, inner)

        return self.compute("unpack", element, [raw(x)], x.shape, x.dtype)

    def derive(
        self, tensors: Sequence[Tensor], function: Callable[..., torch.Tensor]
    ) -> Tensor | None:
        """Return what a function of PyTorch makes of tensors at compile time, if all are known."""
        recipes = [x.recipe for x in tensors if x.recipe is not None]
        if len(recipes) != len(tensors):
            return None

        def recipe(weights: Sequence[torch.Tensor]) -> torch.Tensor:
            return function(*(make(weights) for make in recipes)).contiguous()

        metas = [torch.empty(x.shape, dtype=x.dtype, device="meta") for x in tensors]
        return self.known(function(*metas), recipe)

    def known(self, meta: torch.Tensor, recipe: Recipe) -> Tensor:
        """Return a tensor of compile time; it becomes a parameter where it is used."""
        shape = tuple(int(size) for size in meta.shape)
        variable = relax.Var("w", relax.TensorType(shape, type_name(meta.dtype)))
        return Tensor(
            variable=variable, shape=shape, dtype=meta.dtype, storage=CONSTANT, recipe=recipe
        )

    def variable(self, x: Tensor) -> Expression:
        """Return what stands for a tensor in the Relax function."""
        assert not x.block, "an image in blocks where its elements are read one by one"
        if x.recipe is not None and all(x.variable is not b.variable for b in self.bound):
            self.bound.append(x)
        return x.variable

    def cast(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        """Return a tensor with another element type."""
        if x.dtype == dtype:
            return x
        return self.elementwise("cast", lambda value: value, [x], dtype)

    def copy(self, x: Tensor) -> Tensor:
        """Return the same elements in memory of their own."""
        return self.elementwise("copy", formulas.same, [x], x.dtype)

    def constant(self, tensor: torch.Tensor) -> Tensor:
        """Return a tensor of compile time that is the same in all sub-DNNs of a structure."""
        held = tensor.detach().cpu().contiguous()
        return self.known(held, lambda _weights: held)

    def full(
        self, shape: Sequence[Size], value: "bool | int | float | Size", dtype: torch.dtype
    ) -> Tensor:
        """Return a tensor of one value."""
        for size in shape:
            self.sizes.demand_at_least(size, 0)
        return self.compute(
            "full", lambda _index: scalar(value, type_name(dtype)), [], shape, dtype
        )

    def reshape(self, x: Tensor, shape: Sequence[Size]) -> Tensor:
        """Return the same elements in another shape, without moving them."""
        shape = tuple(map(normal, shape))
        if shape == x.shape:
            return x
        self.sizes.demand_equal(product_of(shape), product_of(x.shape))
        if 0 in shape:
            return self.full(shape, 0, x.dtype)
        derived = self.derive([x], lambda held: held.reshape(shape)) if all_known(shape) else None
        if derived is not None:
            return derived
        variable = self.sizes.reshaped(self.variable(x), x.shape, shape, x.type_name)
        storage = id(x.variable) if x.storage == OWN else x.storage
        return Tensor(variable=variable, shape=shape, dtype=x.dtype, storage=storage)

    def require(
        self,
        condition: Callable[..., Expression],
        inputs: Sequence[Tensor],
        shape: Sequence[Size],
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
            return te.compute((), lambda: _worst(failed, axis=axes), name="check")

        self.faults.append(self.emit("check", formula, inputs, (), torch.int32))


_worst = te.comm_reducer(
    lambda a, b: tirx.max(a, b), lambda dtype: tirx.const(NO_FAULT, dtype), name="worst"
)
