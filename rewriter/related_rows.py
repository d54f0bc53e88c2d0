"""Linear inequalities, found by the terms that they have in common."""

from collections.abc import Iterable

import sympy

from rewriter.linear_rows import Row, terms_of

_MOST_RELATED = 30


class RelatedRows:
    """Rows that hold together, in the order in which they became known."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: list[Row] = []
        self._places: dict[sympy.Basic, list[int]] = {}
        """Which rows a term is in."""
        self._found: dict[frozenset[sympy.Basic], list[Row]] = {}
        self.add(rows)

    def add(self, rows: Iterable[Row]) -> None:
        """Add rows that hold as well."""
        for row in rows:
            for term in terms_of(row[0]):
                self._places.setdefault(term, []).append(len(self._rows))
            self._rows.append(row)
        self._found.clear()

    def about(self, terms: frozenset[sympy.Basic]) -> list[Row]:
        """Return the rows that have one of some terms, or share one with another such row."""
        if terms not in self._found:
            self._found[terms] = self._about(terms)
        return self._found[terms]

    def _about(self, terms: frozenset[sympy.Basic]) -> list[Row]:
        found: list[Row] = []
        taken: set[int] = set()
        asked, seen = set(terms), set(terms)
        while asked:
            near = sorted({place for t in asked for place in self._places.get(t, ())} - taken)
            if len(found) + len(near) > _MOST_RELATED:
                break
            taken.update(near)
            rows = [self._rows[place] for place in near]
            found += rows
            asked = set[sympy.Basic]().union(*(terms_of(row[0]) for row in rows)) - seen
            seen |= asked
        return found
