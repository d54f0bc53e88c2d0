"""How a set came about: the order in which it is walked depends on that."""

from collections.abc import Callable, Collection
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
    def only_grew(self) -> bool:
        """Return whether the set began as an empty one, and has lost nothing since."""
        return self.make is set and all(name in _GROWING for name, _ in self.steps)


def copied(content: Collection[object]) -> SetHistory:
    """Return the history of a copy of a set of which nothing more is known."""
    return SetHistory(partial(set, content))
