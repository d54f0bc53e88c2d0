"""Sizes known only at run time: symbols, expressions over them, and what is known of them.

Every size that is not known at compile time is an *unbacked* symbol of one environment, so
PyTorch's shape functions cannot take a decision on it silently: they ask here. What follows
from ranges and from the tests this path has passed is answered, what an operation takes for
granted is recorded as a requirement, and the rest raises ``UndecidedSize``.
"""

from collections.abc import Collection
from typing import Any

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch._guards import SLoc
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ValueRangesSLoc,
)
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.symbol import SymT, make_symbol
from torch.utils._sympy.value_ranges import ValueRanges
from torch.utils._traceback import CapturedTraceback

from rewriter.fact_parts import FactParts
from rewriter.program import Dimension, SymbolRange
from rewriter.refutations import Refutations
from rewriter.size_decisions import SizeDecisions
from rewriter.size_expressions import Size, expanded, expression_of, key_of
from rewriter.size_orders import order
from rewriter.told_facts import ToldSizes
from rewriter.trial_sizes import TrialSizes

UndecidedSize = GuardOnDataDependentSymNode
"""A comparison of sizes has no answer at compile time; ``cond`` is the comparison."""

_BEYOND = 1 << 63


class Sizes(TrialSizes):
    """The symbols of one rewrite. Assumes nothing by itself; see the module's docstring."""

    def __init__(self) -> None:
        super().__init__(
            allow_scalar_outputs=False,
            allow_dynamic_output_shape_ops=True,
            duck_shape=False,
            specialize_zero_one=False,
        )
        self.named: dict[sympy.Symbol, str] = {}
        """Symbols of arguments, by the name of their ``Dim``."""
        self.bounds: dict[sympy.Symbol, tuple[sympy.Basic, sympy.Basic]] = {}
        """Symbols that are where a slice of a size ends, given the bound: (bound, size)."""
        self.quotients: dict[str, tuple[sympy.Basic, int]] = {}  # floats, by variable
        self._bound_symbols: dict[tuple[sympy.Basic, sympy.Basic], torch.SymInt] = {}
        self._opaque: dict[sympy.Basic, sympy.Symbol] = {}
        self._texts: dict[sympy.Basic, str] = {}
        self._all_decisions: dict[frozenset[sympy.Basic], SizeDecisions] = {}
        self._all_bounds: dict[sympy.Basic, tuple[int | None, int | None]] = {}
        self._refutations = Refutations()
        self._fact_parts: dict[frozenset[sympy.Basic], FactParts] = {}
        self._made_here = CapturedTraceback.extract()  # type: ignore[no-untyped-call]
        self._place = SLoc(None, None)  # finding out ours takes half a second of imports

    def new(self, minimum: int | None = 0, maximum: int | None = None) -> torch.SymInt:
        """Return a fresh symbol; a size unless ``minimum`` is None."""
        # as create_unbacked_symint does, without a traceback for each
        symbol = make_symbol(SymT.UNBACKED_INT, self.unbacked_symint_counter, integer=True)
        self.unbacked_symint_counter += 1
        self.var_to_stack[symbol] = self._made_here
        self.var_to_range_sloc[symbol] = ValueRangesSLoc(self._place, self._place)
        made: torch.SymInt = torch.SymInt(SymNode(symbol, self, int, None))  # type: ignore[no-untyped-call]
        self.var_to_range[symbol] = ValueRanges(
            -int_oo if minimum is None else minimum, int_oo if maximum is None else maximum
        )
        if minimum is not None and minimum >= 0:
            self.size_like.add(symbol)
        return made

    def end_of_slice(self, bound: Size, size: Size) -> Size:
        """Return where ``[:bound]`` ends in a dimension: within 0 and its size."""
        key = expression_of(bound), expression_of(size)
        if self.decide(sympy.Ge(key[0], 0)) and self.decide(sympy.Le(*key)):
            return bound
        if key not in self._bound_symbols:
            made = self.new(*self._bounds_of_end(*key))
            self._bound_symbols[key] = made
            self.bounds[made.node.expr] = key
        return self._bound_symbols[key]

    def _bounds_of_end(
        self, bound: sympy.Basic, size: sympy.Basic
    ) -> tuple[int | None, int | None]:
        """Return between which numbers a slice ends: the smaller of two where none is negative."""
        least, most = self.bounds_of(size)
        low, high = self.bounds_of(bound)
        if low is None or low < 0:
            return 0, most
        highest = [each for each in (most, high) if each is not None]
        return min(low, least or 0), min(highest, default=None)

    def equal_slices(self, end: Size) -> set[sympy.Basic]:
        """Return that an end of a slice is that of each other one of this bound and size."""
        symbol = expression_of(end)
        bound, size = self.bounds[symbol]
        return {
            sympy.Eq(symbol, other)
            for other, (stop, whole) in self.bounds.items()
            if other != symbol and stop == bound and self.decide(sympy.Eq(whole, size))
        }

    def made_of(self, expression: sympy.Basic) -> Size:
        """Return the size that an expression over symbols stands for."""
        expression = sympy.expand(expression)
        if expression.is_number:
            return int(expression)
        made: Size = self.create_symintnode(expression, hint=None)
        return made

    def range_of(self, expression: sympy.Basic) -> SymbolRange:
        """Return the bounds of an expression; a lower one of minus infinity reads as None."""
        bounds = self.bound_sympy(expression)
        return SymbolRange(minimum=_finite(bounds.lower) or 0, maximum=_finite(bounds.upper))

    def bounds_of(self, expression: sympy.Basic) -> tuple[int | None, int | None]:
        """Return the least and the greatest value of an expression, None where unknown."""
        if expression.is_Integer:
            return int(expression), int(expression)
        if expression.is_Symbol:
            bounds = self.var_to_range[expression]
            return _finite(bounds.lower), _finite(bounds.upper)
        if expression not in self._all_bounds:
            bounds = self.bound_sympy(expression)
            self._all_bounds[expression] = _finite(bounds.lower), _finite(bounds.upper)
        return self._all_bounds[expression]

    def text_of(self, expression: sympy.Basic) -> str:
        """Return the text of an expression; other than sums and products get a name."""
        if expression not in self._texts:
            self._texts[expression] = self._new_text(expression)
        return self._texts[expression]

    def _new_text(self, expression: sympy.Basic) -> str:
        if expression.is_Symbol:
            return str(expression)
        expression = expanded(expression)
        if not expression.is_polynomial(*expression.free_symbols):
            if expression not in self._opaque:
                low, high = self.bounds_of(expression)
                self._opaque[expression] = self.new(low, high).node.expr
            expression = self._opaque[expression]
        return str(expression)

    def told(
        self, new: Collection[sympy.Basic], old: Collection[sympy.Basic]
    ) -> dict[str, SymbolRange]:
        """Return what new facts, beside old ones, leave of the sizes that symbols stand for."""
        return ToldSizes(self._opaque, self.bounds_of).told(new, old)

    def guard_or_defer_runtime_assert(  # type: ignore[override]  # PyTorch caches it
        self, orig_expr: Any, msg: str, fx_node: torch.fx.Node | None = None
    ) -> bool:
        """Record what the operation takes for granted, instead of assuming it from now on."""
        del msg, fx_node
        known = self._maybe_evaluate_static(orig_expr)
        if known is not None:
            return bool(known)
        if not all(self.is_new(symbol) for symbol in orig_expr.free_symbols):
            self.required.append(orig_expr)
        elif isinstance(orig_expr, sympy.Ge | sympy.Le):
            self._bound_new(orig_expr)
        return True

    def _bound_new(self, relation: sympy.Basic) -> None:
        left, right = relation.args
        symbol, bound = (left, right) if left.is_Symbol else (right, left)
        at_least = isinstance(relation, sympy.Ge) == bool(left.is_Symbol)
        if symbol.is_Symbol and bound.is_Integer:
            new = ValueRanges(bound, int_oo) if at_least else ValueRanges(-int_oo, bound)
            self.var_to_range[symbol] = self.var_to_range[symbol] & new
            self._forget_decisions()

    def _constrain_range_for_size(
        self, a: sympy.Symbol, min: int | None = None, max: int | None = None
    ) -> None:
        if self.is_new(a):
            super()._constrain_range_for_size(a, min=min, max=max)
            self._forget_decisions()

    def _forget_decisions(self) -> None:
        self._all_decisions.clear()
        self._all_bounds.clear()

    def _log_suppressed_dde(self, a: Any, assumed_value: bool) -> None:
        self.guessed.append(sympy.Not(a) if assumed_value else a)

    def _maybe_evaluate_static(  # type: ignore[override]  # PyTorch caches it
        self, expr: sympy.Basic, **options: Any
    ) -> sympy.Basic | None:
        if isinstance(expr, Boolean) and expr.free_symbols:
            known = self.decide(expr)
            if known is not None:
                return sympy.true if known else sympy.false
        found: sympy.Basic | None = super()._maybe_evaluate_static(expr, **options)
        return found

    def decide(self, relation: sympy.Basic) -> bool | None:
        """Return whether a relation holds for all sizes on this path, None where it depends."""
        return self._decisions(relation).decide(relation)

    def reduced(self, expression: sympy.Basic) -> sympy.Basic:
        """Return what an expression is on this path, with what is equal there replaced."""
        return self._decisions(expression).reduced(expression)

    def _decisions(self, asked: sympy.Basic) -> SizeDecisions:
        if self.facts not in self._fact_parts:
            self._fact_parts[self.facts] = FactParts(self.facts)
        facts = self._fact_parts[self.facts].about(asked.free_symbols)
        if facts not in self._all_decisions:
            made = SizeDecisions(facts, self, self.bounds_of, self._refutations)
            self._all_decisions[facts] = made
        return self._all_decisions[facts]

    def strictly(self, unequal: sympy.Ne) -> set[sympy.Basic]:
        """Return the strict relation of two unequal sizes, if their order is known here."""
        left, right = unequal.args
        if self.decide(order(sympy.Ge, left, right)):
            return {order(sympy.Gt, left, right)}
        if self.decide(order(sympy.Le, left, right)):
            return {order(sympy.Lt, left, right)}
        return set()


def _finite(bound: Any) -> int | None:
    """Return a bound as a number; one beyond 64 bits tells nothing of sizes, and fits nowhere."""
    known = isinstance(bound, int | sympy.Integer) and -_BEYOND <= bound < _BEYOND
    return int(bound) if known else None


def dimension_of(size: Size) -> Dimension:
    """Return a size as the program writes it."""
    if isinstance(size, int):
        return size
    key = key_of(size)
    if isinstance(key, int):
        return key
    environment = size.node.shape_env
    assert isinstance(environment, Sizes)
    return environment.text_of(key)
