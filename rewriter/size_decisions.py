"""Deciding relations between sizes: what follows from the ranges of symbols and from facts."""

from functools import cached_property, lru_cache

import sympy
from sympy.logic.boolalg import BooleanAtom
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.functions import Max, Min
from torch.utils._sympy.numbers import int_oo

from rewriter.known_relations import Bounds, KnownRelations
from rewriter.refutations import Refutations
from rewriter.size_expressions import MOST_REMEMBERED, expanded
from rewriter.size_extremes import always

_RELATIONS = (sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge)


class SizeDecisions:
    """Answers to questions about sizes where some facts hold."""

    def __init__(
        self,
        facts: frozenset[sympy.Basic],
        environment: ShapeEnv,
        bounds: Bounds,
        refutations: Refutations,
    ) -> None:
        self.facts = facts
        self._bounds = bounds
        self._refutations = refutations
        self._environment = environment
        self._decided: dict[sympy.Basic, bool | None] = {}
        self._bounded: dict[sympy.Basic, bool] = {}

    @cached_property
    def _known(self) -> KnownRelations:
        return KnownRelations(self.facts, self._bounds, self._refutations)

    def decide(self, relation: sympy.Basic) -> bool | None:
        """Return whether a relation holds for all sizes, None where it depends."""
        if relation not in self._decided:
            known = always(relation)
            self._decided[relation] = self._decide(relation) if known is None else known
        return self._decided[relation]

    def reduced(self, expression: sympy.Basic) -> sympy.Basic:
        """Return an expression with what the facts say is equal replaced."""
        return self._known.reduced(expression)

    def _decide(self, relation: sympy.Basic) -> bool | None:
        if isinstance(relation, BooleanAtom):  # sympy knew it: `u0 + 1 <= u0 + 4`
            return bool(relation)
        if isinstance(relation, sympy.Not | sympy.And | sympy.Or):
            return self._decide_compound(relation)
        if not isinstance(relation, _RELATIONS):
            return None
        if relation in self.facts or sympy.Not(relation) in self.facts:
            return relation in self.facts
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
        return False if expression in apart or expanded(-expression) in apart else None

    def _at_least_zero(self, expression: sympy.Basic) -> bool:
        """Return whether ``expression >= 0`` follows from ranges and facts."""
        if expression not in self._bounded:
            self._bounded[expression] = self._bounded_below(expression)
        if self._bounded[expression]:
            return True
        for choice in _choices_in(expression):
            factor = expression.coeff(choice)
            if not factor.is_number or factor == 0:
                continue
            least = (factor > 0) == isinstance(choice, Min)
            # Where it stands within another part, in a quotient, it is what it was.
            options = (expression + factor * (part - choice) for part in choice.args)
            return (all if least else any)(map(self._at_least_zero, map(expanded, options)))
        return self._known.entails(expression)

    def _bounded_below(self, expression: sympy.Basic) -> bool:
        least = 0
        for term, factor in expression.as_coefficients_dict().items():
            if term == 1:
                least += factor
                continue
            if not (term.is_Symbol and factor.is_Integer):
                least_of_all, _ = self._bounds(expression)
                return least_of_all is not None and least_of_all >= 0
            bounds = self._environment.var_to_range[term]
            bound = bounds.lower if factor > 0 else bounds.upper
            if bound in (-int_oo, int_oo):
                return False
            least += factor * bound
        return bool(least >= 0)


@lru_cache(maxsize=MOST_REMEMBERED)
def _choices_in(expression: sympy.Basic) -> list[sympy.Basic]:
    """Return the smallest and largest of several in an expression, in a certain order."""
    return sorted(expression.atoms(Min, Max), key=str)


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
