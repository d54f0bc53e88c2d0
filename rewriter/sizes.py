"""Sizes known only at run time: symbols, expressions over them, and what is known of them.

Every size that is not known at compile time is an *unbacked* symbol of one environment, so
PyTorch's shape functions cannot take a decision on it silently: they ask here. What follows
from ranges and from the tests this path has passed is answered, what an operation takes for
granted is recorded as a requirement, and the rest raises ``UndecidedSize``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import sympy
import torch
from sympy.logic.boolalg import Boolean
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import (
    GuardOnDataDependentSymNode,
    ShapeEnv,
    ValueRangesSLoc,
)
from torch.utils._sympy.functions import Max, Min
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.symbol import SymT, make_symbol
from torch.utils._sympy.value_ranges import ValueRanges
from torch.utils._traceback import CapturedTraceback

from rewriter.known_relations import KnownRelations
from rewriter.program import Dimension, SymbolRange

Size: TypeAlias = int | torch.SymInt

UndecidedSize = GuardOnDataDependentSymNode
"""A comparison of sizes has no answer at compile time; ``cond`` is the comparison."""

_RELATIONS = (sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge)


class Sizes(ShapeEnv):
    """The symbols of one rewrite. Assumes nothing by itself; see the module's docstring."""

    def __init__(self) -> None:
        super().__init__(
            allow_scalar_outputs=False,
            allow_dynamic_output_shape_ops=True,
            duck_shape=False,
            specialize_zero_one=False,
        )
        self.facts: frozenset[sympy.Basic] = frozenset()
        """Relations that hold on the path being evaluated."""
        self.required: list[sympy.Basic] = []
        """What the operation being tried takes for granted."""
        self.guessed: list[sympy.Basic] = []
        """Comparisons that it could not decide, and went on as if they were false."""
        self.named: dict[sympy.Symbol, str] = {}
        """Symbols of arguments, by the name of their ``Dim``."""
        self.bounds: dict[sympy.Symbol, tuple[sympy.Basic, sympy.Basic]] = {}
        """Symbols that are where a slice of a size ends, given the bound: (bound, size)."""
        self._bound_symbols: dict[tuple[sympy.Basic, sympy.Basic], torch.SymInt] = {}
        self._opaque: dict[sympy.Basic, sympy.Symbol] = {}
        self._known = KnownRelations(frozenset(), {})
        self._first_new = 0
        self._made_here = CapturedTraceback.extract()  # type: ignore[no-untyped-call]
        self._place = self._get_sloc()

    # --- symbols ----------------------------------------------------------------------------

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
            made = self.new(0, self.bounds_of(key[1])[1])
            self._bound_symbols[key] = made
            self.bounds[made.node.expr] = key
        return self._bound_symbols[key]

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
        bounds = (
            self.var_to_range[expression] if expression.is_Symbol else self.bound_sympy(expression)
        )
        return _finite(bounds.lower), _finite(bounds.upper)

    def text_of(self, expression: sympy.Basic) -> str:
        """Return the text of an expression; other than sums and products get a name."""
        if expression.is_Symbol:
            return str(expression)
        expression = sympy.expand(expression)
        if not expression.is_polynomial(*expression.free_symbols):
            if expression not in self._opaque:
                low, high = self.bounds_of(expression)
                self._opaque[expression] = self.new(low, high).node.expr
            expression = self._opaque[expression]
        return str(expression)

    # --- while an operation is tried ----------------------------------------------------------

    def begin(self, facts: frozenset[sympy.Basic]) -> None:
        """Start to record what an operation requires on a path where facts hold."""
        self._first_new = self.unbacked_symint_counter
        self.required, self.guessed = [], []
        if facts != self.facts:
            self.facts = facts
        self._update_version_counter()
        self._inner_evaluate_expr.cache_clear()

    def is_new(self, symbol: sympy.Basic) -> bool:
        """Return whether the operation being tried made the symbol."""
        return int(str(symbol)[1:]) >= self._first_new

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

    def _constrain_range_for_size(
        self, a: sympy.Symbol, min: int | None = None, max: int | None = None
    ) -> None:
        if self.is_new(a):
            super()._constrain_range_for_size(a, min=min, max=max)

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

    # --- what is known ------------------------------------------------------------------------

    def decide(self, relation: sympy.Basic) -> bool | None:
        """Return whether a relation holds for all sizes on this path, None where it depends."""
        if isinstance(relation, sympy.Not | sympy.And | sympy.Or):
            return self._decide_compound(relation)
        if not isinstance(relation, _RELATIONS):
            return None
        if relation in self.facts or sympy.Not(relation) in self.facts:
            return relation in self.facts
        if self._known.facts is not self.facts:
            self._known = KnownRelations(self.facts, self.var_to_range)
        return self._decide_difference(
            relation, self._known.reduced(relation.args[0] - relation.args[1])
        )

    def _decide_difference(self, relation: sympy.Basic, difference: sympy.Basic) -> bool | None:
        match relation:
            case sympy.Lt():
                return self._negative(difference)
            case sympy.Ge():
                return _not(self._negative(difference))
            case sympy.Gt():
                return self._negative(-difference)
            case sympy.Le():
                return _not(self._negative(-difference))
            case sympy.Eq():
                return self._zero(difference)
            case _:
                return _not(self._zero(difference))

    def _decide_compound(self, relation: sympy.Basic) -> bool | None:
        if relation in self.facts or sympy.Not(relation) in self.facts:
            return relation in self.facts
        parts = [self.decide(part) for part in relation.args]
        if isinstance(relation, sympy.Not):
            return _not(parts[0])
        ending = isinstance(relation, sympy.Or)
        if ending in parts:
            return ending
        return None if None in parts else not ending

    def _negative(self, expression: sympy.Basic) -> bool | None:
        if self._at_least_zero(expression):
            return False
        return True if self._at_least_zero(-expression - 1) else None

    def _zero(self, expression: sympy.Basic) -> bool | None:
        if expression.is_number:
            return bool(expression == 0)
        if self._at_least_zero(expression - 1) or self._at_least_zero(-expression - 1):
            return False
        if self._at_least_zero(expression) and self._at_least_zero(-expression):
            return True
        apart = self._known.apart
        return False if expression in apart or sympy.expand(-expression) in apart else None

    def _at_least_zero(self, expression: sympy.Basic) -> bool:
        """Return whether ``expression >= 0`` follows from ranges and one fact or none."""
        if self._bounded_below(expression):
            return True
        for choice in expression.atoms(Min, Max):
            factor = expression.coeff(choice)
            if not factor.is_number or factor == 0:
                continue
            least = (factor > 0) == isinstance(choice, Min)
            options = (expression.xreplace({choice: part}) for part in choice.args)
            return (all if least else any)(map(self._at_least_zero, map(sympy.expand, options)))
        symbols = expression.free_symbols
        return any(
            self._bounded_below(sympy.expand(expression - known))
            for known in self._known.at_least_zero
            if symbols & known.free_symbols
        )

    def _bounded_below(self, expression: sympy.Basic) -> bool:
        least = 0
        for term, factor in expression.as_coefficients_dict().items():
            if term == 1:
                least += factor
                continue
            if not (term.is_Symbol and factor.is_Integer):
                return bool(self.bound_sympy(expression).lower >= 0)
            bounds = self.var_to_range[term]
            bound = bounds.lower if factor > 0 else bounds.upper
            if bound in (-int_oo, int_oo):
                return False
            least += factor * bound
        return bool(least >= 0)


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _finite(bound: Any) -> int | None:
    return int(bound) if isinstance(bound, int | sympy.Integer) else None


# --- sizes of any kind ----------------------------------------------------------------------


def expression_of(size: Size) -> sympy.Basic:
    """Return a size as an expression; equal expressions are equal sizes."""
    return sympy.Integer(size) if isinstance(size, int) else sympy.expand(size.node.expr)


def key_of(size: Size) -> "int | sympy.Basic":
    """Return a hashable that two sizes share only if they are equal."""
    if isinstance(size, int):
        return size
    expression = expression_of(size)
    return int(expression) if expression.is_number else expression


def keys_of(sizes: Sequence[Size]) -> "tuple[int | sympy.Basic, ...]":
    """Return the keys of several sizes."""
    return tuple(map(key_of, sizes))


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


def is_fixed(tensor: torch.Tensor) -> bool:
    """Return whether all sizes of a tensor, and its layout, are known numbers."""
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    return all(isinstance(part, int) for part in parts)


def symbols_of(tensor: torch.Tensor) -> "set[sympy.Symbol]":
    """Return the symbols in the sizes and the layout of a tensor."""
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    return {s for part in parts if not isinstance(part, int) for s in part.node.expr.free_symbols}


def is_dense_layout(tensor: torch.Tensor) -> bool:
    """Return whether a tensor's elements lie one after the other, last dimension first."""
    if is_fixed(tensor):
        return tensor.is_contiguous()
    expected: sympy.Basic = sympy.Integer(1)
    for size, step in reversed(list(zip(tensor.shape, tensor.stride(), strict=True))):
        if key_of(size) != 1 and _plain_step(step) != sympy.expand(expected):
            return False
        expected = expected * expression_of(size)
    return True


def _plain_step(step: Size) -> sympy.Basic:
    """Return a stride without ``Max(1, size)``: where a size is zero strides mean nothing."""
    plain = expression_of(step).replace(
        lambda part: isinstance(part, Max) and len(part.args) == 2 and 1 in part.args,
        lambda part: next(iter(a for a in part.args if a != 1), sympy.Integer(1)),
    )
    return sympy.expand(plain)


def value_at(size: Size, values: Mapping[sympy.Basic, int]) -> int:
    """Return a size where the symbols have values."""
    return size if isinstance(size, int) else int(size.node.expr.xreplace(dict(values)))
