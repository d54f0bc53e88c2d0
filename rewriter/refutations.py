"""Which linear inequalities contradict each other, by numbers for which they do not.

Most questions about sizes have the answer "that depends", and it is found the longest way: all
terms are removed, and no contradiction comes up. Then there are numbers for which all holds; those
that answered one question mostly answer the next one, too.
"""

from collections.abc import Sequence

from rewriter.linear_rows import Model, Row, holds, solved

_MOST_MODELS = 64


class Refutations:
    """Answers that are remembered, and numbers for which rows held."""

    def __init__(self) -> None:
        self._answers: dict[frozenset[Row], bool] = {}
        self._models: list[Model] = []  # what helped last is first

    def contradict(self, rows: Sequence[Row]) -> bool:
        """Return whether rows certainly cannot hold together; False where that takes too long."""
        key = frozenset(rows)
        if key not in self._answers:
            self._answers[key] = not self._tried(rows) and self._found(rows)
        return self._answers[key]

    def _tried(self, rows: Sequence[Row]) -> bool:
        """Return whether rows hold for numbers found earlier."""
        for place, model in enumerate(self._models):
            if all(holds(row, model) for row in rows):
                self._models.insert(0, self._models.pop(place))
                return True
        return False

    def _found(self, rows: Sequence[Row]) -> bool:
        contradicts, model = solved(rows)
        if model is not None:
            self._models.insert(0, model)
            del self._models[_MOST_MODELS:]
        return contradicts
