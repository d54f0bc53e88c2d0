"""What a Relax function knows of sizes and integers that only run time knows.

Each is a variable of TVM's: a parameter of the function, or defined by it from others. A kernel
takes the variables that it reads as arguments. What PyTorch would raise about sizes is raised by
a kernel that runs before anything relies on it, so that nothing is read outside of a tensor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import sympy
import tvm
from tvm import relax, te, tirx

from dycl.backends.tvm.sizes import (
    Expression,
    Size,
    all_known,
    at_least,
    dimensions,
    expression,
    is_known,
    new_symbol,
    normal,
    variable_of,
)

DEMAND = "demand"
"""What kernels are called that raise."""

OPAQUE = 8
"""TVM's pattern of what is not fused with anything."""


@dataclass(slots=True, kw_only=True)
class RunTimeSizes:
    """The integers of one function that only run time knows."""

    builder: relax.BlockBuilder
    symbols: list[Size] = field(default_factory=list)
    raising: list[Expression] = field(default_factory=list)
    """What the kernels return that raise: something must read it, or they would be left out."""
    _defined: dict[object, Size] = field(default_factory=dict)
    _demanded: set[object] = field(default_factory=set)
    _pending: list[Expression] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.symbols)

    def add(self, name: str, minimum: int | None) -> Size:
        """Return a new symbol."""
        self.symbols.append(new_symbol(f"{name}_{len(self.symbols)}", minimum))
        return self.symbols[-1]

    def define(self, key: object, value: Expression, minimum: int | None = 0) -> Size:
        """Return a symbol for an expression of TVM's; ``key`` says which it is."""
        if key not in self._defined:
            # through a function, or TVM would put the expression wherever the symbol stands
            kind = relax.ShapeType(ndim=1)
            call = relax.op.call_pure_packed(
                "vm.builtin.copy", relax.ShapeExpr([value]), ty_args=kind
            )
            self._defined[key] = self.bind(self.builder.emit(call), minimum)
        return self._defined[key]

    def bind(self, shape: Expression, minimum: int | None) -> Size:
        """Return a symbol for the only number of a shape."""
        symbol = self.add("n", minimum)
        self.builder.match_cast(shape, relax.ShapeType([variable_of(symbol)]))
        return symbol

    def emit(
        self,
        name: str,
        formula: Callable[..., Expression],
        inputs: Sequence[Expression],
        attributes: dict[str, int],
    ) -> Expression:
        """Emit a kernel that takes tensors, and whichever numbers of run time its formula reads."""
        self.settle()
        held = [
            te.placeholder(list(x.ty.shape.values), str(x.ty.dtype), name=f"a{i}")
            for i, x in enumerate(inputs)
        ]
        out = formula(*held)
        shapes = [size for tensor in (*held, out) for size in tensor.shape]
        read = {
            variable
            for part in (te.create_prim_func([*held, out], "int64").body, *shapes)
            for variable in tirx.analysis.undefined_vars(part)
        }
        numbers = [v for v in map(variable_of, self.symbols) if v in read]
        function = te.create_prim_func([*held, *numbers, out], "int64")
        function = tvm.s_tir.renew_defs(function).without_attr("global_symbol")
        place = self.builder.add_func(function.with_attrs(attributes), name)
        kind = relax.TensorType(relax.ShapeExpr(list(out.shape)), str(out.dtype))
        return self.builder.emit(relax.call_tir(place, [*inputs, *numbers], kind))

    def reshaped(
        self, variable: Expression, before: Sequence[Size], after: Sequence[Size], dtype: str
    ) -> Expression:
        """Emit a change of shape, which moves nothing; the sizes are known to fit."""
        if all_known((*before, *after)):
            return self.builder.emit(relax.op.reshape(variable, tuple(after)))
        self.settle()
        sizes = relax.ShapeExpr(dimensions(after))
        kind = relax.TensorType(sizes, dtype)
        # not TVM's own operator: that is a loop that divides by sizes
        call = relax.op.call_pure_packed("vm.builtin.reshape", variable, sizes, ty_args=kind)
        return self.builder.emit(call)

    def demand(self, key: object, condition: Expression, error: str) -> None:
        """Have the function raise ``error`` where a condition does not hold, before it goes on."""
        if key not in self._demanded:
            self._demanded.add(key)
            text = [tvm.ir.StringImm("sizes do not fit, or an index is out of range")]
            self._pending.append(tirx.AssertStmt(condition, tvm.ir.StringImm(error), text))

    def settle(self) -> None:
        """Emit a kernel for what has been demanded since the last one."""
        if not self._pending:
            return
        statements, self._pending = self._pending, []

        def check(_inputs: Sequence[Expression], outputs: Sequence[Expression]) -> Expression:
            nothing = tirx.BufferStore(outputs[0], tirx.const(0, "int32"), [])
            return tirx.SeqStmt([*statements, nothing])

        def formula() -> Expression:
            return te.extern([()], [], check, dtype="int32", name=DEMAND)

        self.raising.append(self.emit(DEMAND, formula, [], {"op_pattern": OPAQUE}))

    def demand_equal(self, left: Size, right: Size, error: str = "RuntimeError") -> None:
        """Have the function raise where sizes are not equal."""
        if left != right:
            _require_unknown(left, right)
            condition = tirx.EQ(expression(left), expression(right))
            self.demand(("equal", left, right), condition, error)

    def demand_at_least(self, left: Size, right: Size, error: str = "RuntimeError") -> None:
        """Have the function raise where a size is less than another."""
        if not at_least(left, right):
            _require_unknown(left, right)
            condition = expression(left) >= expression(right)
            self.demand(("at least", left, right), condition, error)

    def larger(self, left: Size, right: Size) -> Size:
        """Return the larger of two sizes."""
        if at_least(left, right):
            return left
        if at_least(right, left):
            return right
        value = tirx.max(expression(left), expression(right))
        least = 0 if at_least(left, 0) or at_least(right, 0) else None
        return self.define(("max", left, right), value, least)

    def smaller(self, left: Size, right: Size) -> Size:
        """Return the smaller of two sizes."""
        if at_least(left, right):
            return right
        if at_least(right, left):
            return left
        value = tirx.min(expression(left), expression(right))
        least = 0 if at_least(left, 0) and at_least(right, 0) else None
        return self.define(("min", left, right), value, least)

    def from_end(self, place: Size, size: Size) -> Size:
        """Return a place that counts from the end where it is negative."""
        if at_least(place, 0):
            return place
        if is_known(place) or at_least(-1, place):
            return place + size
        given = expression(place)
        value = tirx.Select(given < 0, given + expression(size), given)
        return self.define(("from end", place, size), value, None)

    def within(self, place: Size, size: Size) -> Size:
        """Return a bound of a slice as a place from 0 to ``size``."""
        if is_known(place) or at_least(place, 0):
            start = place + size if is_known(place) and place < 0 else place
            return self.larger(self.smaller(start, size), 0)
        given, end = dimensions((place, size))
        value = tirx.max(tirx.min(tirx.Select(given < 0, given + end, given), end), 0)
        return self.define(("within", place, size), value)

    def index(self, place: Size, size: Size) -> Size:
        """Return an index as a place from 0 on; it is demanded to be one."""
        place = self.from_end(place, size)
        self.demand_at_least(place, 0, "IndexError")
        self.demand_at_least(size - 1, place, "IndexError")
        return place

    def quotient(self, left: Size, right: Size) -> Size:
        """Return a size divided by a size that is not zero, rounded down."""
        if is_known(left) and is_known(right):
            return left // right
        numerator, denominator = sympy.fraction(sympy.cancel(left / right))
        if denominator == 1:
            return normal(numerator)
        divisor = tirx.max(expression(right), tirx.IntImm("int64", 1))
        value = tirx.floordiv(expression(left), divisor)
        return self.define(("quotient", left, right), value, None)

    def demand_expandable(self, size: Size, whole: Size) -> None:
        """Have the function raise where a size is neither one nor ``whole``."""
        if size not in (1, whole):
            _require_unknown(size, whole)
            one, other = dimensions((size, whole))
            fits = tirx.any(tirx.EQ(one, other), is_one(one))
            self.demand(("expandable", size, whole), fits, "RuntimeError")

    def divided(self, left: Size, right: int) -> Size:
        """Return a size divided by a positive number, rounded up."""
        if is_known(left) or right == 1:
            return left if right == 1 else -(-left // right)
        value = tirx.floordiv(expression(left) + right - 1, right)
        return self.define(("divided", left, right), value)

    def common(self, left: Size, right: Size) -> Size:
        """Return the size that two are broadcast to together."""
        if left == right or right == 1:
            return left
        if left == 1:
            return right
        _require_unknown(left, right)
        one, other = dimensions((left, right))
        fits = tirx.any(tirx.EQ(one, other), is_one(one), is_one(other))
        self.demand(("common", left, right), fits, "RuntimeError")
        if is_known(left) or is_known(right):  # and not one, so it is this one
            return left if is_known(left) else right
        return self.define(("common", left, right), tirx.Select(is_one(one), other, one))


def is_one(size: Expression) -> Expression:
    """Return whether a size of TVM's is one."""
    return tirx.EQ(size, tirx.IntImm("int64", 1))


def _require_unknown(left: Size, right: Size) -> None:
    """Raise where sizes that do not fit are known already."""
    if is_known(left) and is_known(right):
        raise NotImplementedError(
            f"the sizes {left} and {right} together, for which PyTorch raises"
        )
