"""Heads of loops within loops, as they were when the loop around was tried the last time.

The body of a loop is evaluated again until its head is general enough, and with it the loops in it:
with three loops in each other the innermost would be generalised from nothing for each attempt at
those around it. What an attempt leaves is more general than what the one before left, so that
a loop in the body begins with what it came to there, if the state at its head has the same shape.
It is seen to be a fixed point as any other; where it is none, the loop begins from nothing.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import libcst as cst

from rewriter.evaluation.control.loop_heads import LoopHead
from rewriter.evaluation.control.loop_relations import KnownRefuted
from rewriter.evaluation.control.loop_sizes import Grouping
from rewriter.evaluation.control.loops_within import LoopsWithin, Place
from rewriter.evaluation.run import Frame, Run
from rewriter.flattening import Flattening
from rewriter.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a head was generalised to, by position, and the loops within."""

    slots: frozenset[int]
    rebound: frozenset[int]
    apart: frozenset[int]
    sizes: Grouping
    refuted: KnownRefuted
    within: LoopsWithin

    def give(self, run: Run, head: LoopHead, before: Flattening) -> bool:
        """Generalise a head so; return whether that can be said of the state before it."""
        if not head.sizes.take(run, self.sizes, before.leaves):
            return False
        head.slots |= self.slots
        head.rebound |= self.rebound
        head.apart |= self.apart
        head.relations.take(self.refuted, head.sizes)
        return True


@dataclass(slots=True)
class Settling:
    """The attempts at one head: what it begins with, and what it leaves."""

    around: LoopsWithin
    within: LoopsWithin = field(default_factory=LoopsWithin)
    begins_from_nothing: bool = False
    recalled: bool = False
    """Whether the head began with what was recalled."""
    place: Place = ()

    @contextmanager
    def attempt(self, run: Run) -> Iterator[None]:
        """While the body is evaluated, the loops in it begin with what they came to before."""
        run.loops = self.within
        try:
            yield
        finally:
            self.within.next_attempt()
            run.loops = self.around

    def from_nothing(self, state: State) -> LoopHead:
        """Return a head of which nothing is known, which stays so."""
        self.begins_from_nothing, self.recalled = True, False
        self.within = LoopsWithin()
        return LoopHead(versions=tuple(state.versions))

    def recall(
        self, frame: Frame, node: cst.CSTNode, kind: Hashable, head: LoopHead, before: Flattening
    ) -> None:
        """Generalise a head, of which nothing is known, as it was in the attempt before."""
        place = (id(node), frame.inlined_at, kind, *_shape(before))
        if place == self.place:
            return
        self.place = place
        known = None if self.begins_from_nothing else self.around.recalled(place)
        if not isinstance(known, Settled) or head.slots or head.arrays:
            return
        if known.give(frame.run, head, before):
            self.recalled = True
            self.within.before = known.within.before

    def leave(self, head: LoopHead) -> None:
        """Keep what the head is in the end."""
        if head.arrays:
            return  # what stands for them is of this attempt
        settled = Settled(
            slots=frozenset(head.slots),
            rebound=frozenset(head.rebound),
            apart=frozenset(head.apart),
            sizes=head.sizes.grouping(),
            refuted=head.relations.known_refuted(head.sizes),
            within=self.within,
        )
        self.around.now.setdefault(self.place, []).append(settled)


def _shape(before: Flattening) -> Sequence[Hashable]:
    """Return a shape with numbers for frames: those of inlined calls are others each time."""
    numbers = {identity: number for number, (identity, _) in enumerate(before.roots.frames)}
    return [
        (numbers[token[0]], *token[1:])
        if isinstance(token, tuple) and len(token) == 2 and token[0] in numbers
        else token
        for token in before.shape
    ]
