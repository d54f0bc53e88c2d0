"""What is known of sizes while an operation is tried, and what the operation takes for granted."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sympy

from rewriter.quiet_sizes import QuietSizes


class TrialSizes(QuietSizes):
    """An environment of symbolic sizes that is asked on one path after the other."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.facts: frozenset[sympy.Basic] = frozenset()
        """Relations that hold on the path being evaluated."""
        self.required: list[sympy.Basic] = []
        """What the operation being tried takes for granted."""
        self.guessed: list[sympy.Basic] = []
        """Comparisons that it could not decide, and went on as if they were false."""
        self._first_new = 0

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

    @contextmanager
    def nothing_known(self) -> Iterator[None]:
        """Let tensors be made of sizes that the path tried last may not have.

        What stands for a tensor on several paths is made when the last of them is done, and there
        the size may be known to be negative: where its error was looked for, say.
        """
        before, first_new = (self.facts, self.required, self.guessed), self._first_new
        self.begin(frozenset())
        try:
            yield
        finally:
            self.begin(before[0])
            self.facts, self.required, self.guessed = before
            self._first_new = first_new
