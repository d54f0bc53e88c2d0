"""How a set came about: the order in which it is walked depends on that."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial

_GROWING = frozenset({"add", "update"})


@dataclass(frozen=True, slots=True, eq=False)
class SetHistory:
    """The operations that made a set, which give a set of the same order when done again."""

    make: Callable[[], set[object]] = set
    steps: tuple[tuple[str, tuple[object, ...]], ...] = ()
    """Names of methods, and their arguments."""

    def then(self, name: str, *arguments: object) -> "SetHistory":
        """Return the history with one more call of a method."""
        return replace(self, steps=(*self.steps, (name, arguments)))

    def replayed(self) -> set[object]:
        """Return a new set made in the same way."""
        content = self.make()
        for name, arguments in self.steps:
            getattr(content, name)(*arguments)
        return content

    @property
    def came_in(self) -> tuple[object, ...] | None:
        """Return what was put into a new set one by one, and nothing of it was removed.

        A set of this tuple lies in memory as the set does. None where there is no such tuple.
        """
        found: list[object] = []
        for name, arguments in self.steps:
            parts = [arguments] if name == "add" else arguments
            if name not in _GROWING or not all(map(_comes_one_by_one, parts)):
                return None
            found += [item for part in parts if isinstance(part, Iterable) for item in part]
        return tuple(found) if self.make is set else None


def _comes_one_by_one(part: object) -> bool:
    one_at_most = isinstance(part, set | frozenset) and len(part) < 2
    return one_at_most or isinstance(part, tuple | list | range)


def copied(content: Collection[object]) -> SetHistory:
    """Return the history of a copy of a set of which nothing more is known."""
    return SetHistory(partial(set, content))
