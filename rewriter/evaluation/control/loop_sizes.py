"""Sizes that change from one iteration to the next: symbols at the head of a rolled loop.

Sizes of tensors and integers of the host are generalised together. Those that change by the
same number in every iteration are one symbol and what they began with (``t`` and ``t + 1``);
of the others, those that change alike are one symbol.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import sympy

from rewriter.evaluation.run import Run
from rewriter.size_expressions import Size, expression_of, key_of
from rewriter.values import Known, ScalarValue, TensorValue, Value

Position = tuple[int, int]
"""A leaf of the state, and a dimension of it (0 for an integer)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """Which sizes were symbols at a loop head, without what they began with."""

    groups: dict[Position, int]
    """Sizes that change alike have a number."""
    offsets: dict[Position, int]
    steps: dict[int, int]


@dataclass(slots=True)
class LoopSizes:
    """Which sizes are symbols at the loop head, and which of them are the same symbol."""

    groups: dict[Position, Hashable] = field(default_factory=dict)
    offsets: dict[Position, int] = field(default_factory=dict)
    steps: dict[Hashable, int] = field(default_factory=dict)
    """By how much a group grows in each iteration, where that is a number."""
    known: dict[Hashable, int] = field(default_factory=dict)
    """The numbers of groups that were taken from a head of before."""

    def clear(self) -> None:
        """Begin again: positions are other ones now."""
        self.groups.clear()
        self.offsets.clear()
        self.steps.clear()
        self.known.clear()

    def numbers(self) -> dict[Hashable, int]:
        """Return a number for each group."""
        return {group: number for number, group in enumerate(dict.fromkeys(self.groups.values()))}

    def grouping(self) -> Grouping:
        """Return what can be said of the sizes at the head where the loop begins otherwise."""
        numbers = self.numbers()
        return Grouping(
            groups={position: numbers[group] for position, group in self.groups.items()},
            offsets=dict(self.offsets),
            steps={numbers[g]: step for g, step in self.steps.items() if g in numbers},
        )

    def take(self, run: Run, known: Grouping, entry: Sequence[Value]) -> bool:
        """Generalise sizes as they were before; return whether all of them are sizes here.

        Those that changed alike, but do not begin alike here, are symbols of their own.
        """
        groups: dict[Position, Hashable] = {}
        offsets: dict[Position, int] = {}
        numbers: dict[Hashable, int] = {}
        for (slot, dimension), number in known.groups.items():
            sizes = sizes_of(run, entry[slot])
            if dimension >= len(sizes):
                return False
            offset, base = 0, expression_of(sizes[dimension])
            if number in known.steps or known.offsets[slot, dimension]:
                constant, base = base.as_coeff_Add()
                offset = int(constant)
            groups[slot, dimension] = group = (number, base)
            offsets[slot, dimension] = offset
            numbers[group] = number
        self.groups, self.offsets, self.known = groups, offsets, numbers
        self.steps = {g: known.steps[n] for g, n in numbers.items() if n in known.steps}
        return True

    def step_of(self, position: Position) -> int:
        """Return by how much a size grows in each iteration; 0 where that is no number."""
        return self.steps.get(self.groups[position], 0)

    def at_head(self, run: Run, entry: Sequence[Value]) -> dict[Position, Size]:
        """Return the sizes at the loop head that are symbols in this attempt."""
        members: dict[Hashable, list[Position]] = {}
        for position, group in self.groups.items():
            members.setdefault(group, []).append(position)
        made: dict[Position, Size] = {}
        for group, positions in members.items():
            low, high = self._bounds(run, group, positions, entry)
            symbol = run.sizes.new(low, high)
            for position in positions:
                offset = self.offsets[position]
                made[position] = symbol if offset == 0 else symbol + offset
        return made

    def _bounds(
        self, run: Run, group: Hashable, positions: list[Position], entry: Sequence[Value]
    ) -> tuple[int | None, int | None]:
        natural = [-self.offsets[p] for p in positions if isinstance(entry[p[0]], TensorValue)]
        natural += [-self.offsets[p] for p in positions if _is_tensor(entry[p[0]])]
        low = max(natural, default=None)
        step = self.steps.get(group)
        if step is None:
            return low, None
        slot, dimension = positions[0]
        first = sizes_of(run, entry[slot])[dimension]
        base = expression_of(first) - self.offsets[positions[0]]
        least, most = run.sizes.bounds_of(base)
        if step >= 0:
            return (least if low is None or (least is not None and least > low) else low), None
        return low, most

    def changed(
        self,
        run: Run,
        entry: Sequence[Value],
        at_head: Sequence[Value],
        back: Sequence[Value],
    ) -> set[int]:
        """Compare a back edge with the head; return the leaves with sizes generalised further."""
        opened = self._open(run, entry, at_head, back)
        return opened or self._split(run, at_head, back)

    def _open(
        self,
        run: Run,
        entry: Sequence[Value],
        at_head: Sequence[Value],
        back: Sequence[Value],
    ) -> set[int]:
        opened: set[int] = set()
        for position, before, after in self._pairs(run, at_head, back):
            if position in self.groups or key_of(before) == key_of(after):
                continue
            slot, dimension = position
            first = expression_of(sizes_of(run, entry[slot])[dimension])
            step = sympy.expand(expression_of(after) - expression_of(before))
            if step.is_Integer:
                offset, rest = first.as_coeff_Add()
                self.groups[position] = ("by", int(step), rest)
                self.offsets[position] = int(offset)
                self.steps[self.groups[position]] = int(step)
            else:
                self.groups[position] = ("pair", first, key_of(after))
                self.offsets[position] = 0
            opened.add(slot)
        return opened

    def _split(self, run: Run, at_head: Sequence[Value], back: Sequence[Value]) -> set[int]:
        """Take groups apart whose members differ after an iteration, or do not keep their step."""
        bases: dict[Hashable, list[sympy.Basic]] = {}
        parted: set[int] = set()
        changing = {slot for slot, _ in self.groups}  # also where this path leaves them as they are
        for position, before, after in self._pairs(run, at_head, back, changing):
            group = self.groups.get(position)
            if group is None:
                continue
            offset = self.offsets[position]
            base = sympy.expand(expression_of(after) - offset)
            step = sympy.expand(expression_of(after) - expression_of(before))
            known = bases.setdefault(group, [])
            if base not in known:
                known.append(base)
            number = known.index(base)
            kept = group not in self.steps or step == self.steps[group]
            if number or not kept:
                new = (group, number, kept)
                self.groups[position] = new
                if kept and group in self.steps:
                    self.steps[new] = self.steps[group]
                parted.add(position[0])
        return parted

    def _pairs(
        self,
        run: Run,
        at_head: Sequence[Value],
        back: Sequence[Value],
        wanted: Collection[int] = (),
    ) -> Iterator[tuple[Position, Size, Size]]:
        """Yield sizes at the head and after an iteration, of leaves that are others or wanted."""
        for slot, (one, two) in enumerate(zip(at_head, back, strict=True)):
            if one is two and slot not in wanted:
                continue
            before, after = sizes_of(run, one), sizes_of(run, two)
            if before and not after and isinstance(two, ScalarValue) and two.type is int:
                after = (run.symbol_of(two.name),)  # nobody asked for its size yet
            if len(before) == len(after):
                for dimension, pair in enumerate(zip(before, after, strict=True)):
                    yield (slot, dimension), *pair


def sizes_of(run: Run, leaf: Value) -> tuple[Size, ...]:
    """Return the sizes of a tensor, or the size that an integer equals; none for others."""
    match leaf:
        case TensorValue():
            return tuple(leaf.fake.shape)
        case Known() if _is_tensor(leaf):
            return tuple(leaf.value.shape)
        case Known() if type(leaf.value) is int:
            return (leaf.value,)
        case ScalarValue() if leaf.type is int:
            size = run.known_size(leaf)
            return () if size is None else (size,)
        case _:
            return ()


def _is_tensor(leaf: Value) -> bool:
    return isinstance(leaf, Known) and hasattr(leaf.value, "dim")
