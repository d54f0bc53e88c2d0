"""One operation with its operands, on one path: what is tried."""

from collections.abc import Callable
from dataclasses import dataclass

import sympy

from rewriter.evaluation.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedCall:
    """An operation on operands whose sizes are known only at run time."""

    run: Run
    compute: Callable[..., object]
    arguments: list[object]
    keywords: dict[str, object]
    symbols: list[sympy.Symbol]
    """The symbols in the sizes of the operands."""
    facts: frozenset[sympy.Basic]
    """What holds of sizes on the path."""

    @property
    def operands(self) -> tuple[object, ...]:
        """Return the arguments of both kinds."""
        return (self.arguments, self.keywords)

    def decided(self, relation: sympy.Basic) -> bool | None:
        """Return whether a relation holds on the path, None where it depends."""
        self.run.sizes.facts = self.facts
        return self.run.sizes.decide(relation)

    def is_own(self, relation: sympy.Basic) -> bool:
        """Return whether a relation is about the operands only."""
        return bool(relation.free_symbols <= set(self.symbols))
