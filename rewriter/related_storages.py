"""Storages that may be one and the same on some path: a union-find over their numbers."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class RelatedStorages:
    """Which storages may be which others, as far as paths and places have been told apart."""

    keys: set[int] = field(default_factory=set)
    """Those that may be another one at all."""
    _parent: dict[int, int] = field(default_factory=dict)
    _wholly: dict[int, set[int]] = field(default_factory=dict)

    def relate(self, one: int, other: int) -> None:
        """Record that one storage may be another one."""
        self._wholly.setdefault(one, set()).add(other)
        self._wholly.setdefault(other, set()).add(one)
        self.unite(one, other)

    def unite(self, part: int, other: int) -> None:
        """Record that a storage may hold what another one holds at places of run time."""
        self.keys |= {part, other}
        self._parent[self.find(part)] = self.find(other)

    def find(self, key: int) -> int:
        """Return a number that is equal for storages of which one may be the other."""
        root = key
        while self._parent.get(root, root) != root:
            root = self._parent[root]
        while self._parent.get(key, key) != root:
            self._parent[key], key = root, self._parent[key]
        return root

    def may_be_wholly(self, key: int, other: int) -> bool:
        """Return whether a storage may be another one, and not parts at places of it only."""
        seen, pending = set[int](), [key]
        while pending:
            one = pending.pop()
            if one not in seen:
                seen.add(one)
                pending += self._wholly.get(one, ())
        return other in seen
