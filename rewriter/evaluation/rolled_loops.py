"""Loops whose trip count is known only at run time: one copy of the body, run by the host.

The state at the loop head is generalised to a fixed point: what differs from one iteration
to the next becomes a run-time variable that the entry and every back edge assign. A list
that grows becomes a run-time list. Where the first iteration changes the structure of the
state (``hidden = None`` before the loop), it is peeled off, and the rest is rolled.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import libcst as cst
import torch

from rewriter.builder import tensor_spec
from rewriter.evaluation.loop_sizes import LoopSizes
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time_structures import settle_as, type_for_both
from rewriter.evaluation.statements import execute_suite, join
from rewriter.evaluation.trips import Step, Trips
from rewriter.flattening import Flattening, Roots, first_difference
from rewriter.host_types import ContainerType
from rewriter.leaves import leaf_key, residual_name
from rewriter.program import Copy, Jump
from rewriter.rebuilding import substitute
from rewriter.size_expressions import Size
from rewriter.state import Broke, Completion, Continued, Next, State
from rewriter.storages import Storages, same_view
from rewriter.values import Known, Reference, RunTimeCell, ScalarValue, TensorValue, Value

_DIFFERENT = "the elements of a container that changes in it differ in structure"
_MOST_ATTEMPTS = 40
_MOST_PEELED = 3


class _Unstable(Exception):
    """The structure of the state changes from one iteration to the next."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class _Again(Exception):
    """The head was generalised further: the body must be evaluated again."""


@dataclass(slots=True)
class _Head:
    """What is generalised at the loop head."""

    slots: set[int] = field(default_factory=set)
    """Positions of leaves that are run-time variables."""
    rebound: set[int] = field(default_factory=set)
    """Tensor slots that hold another tensor object after an iteration."""
    apart: set[int] = field(default_factory=set)
    """Slots that start as one value with another slot and do not stay so."""
    versions: tuple[str, ...] = ()
    """Tensors from before the loop that the body writes in place."""
    objects: dict[int, ContainerType] = field(default_factory=dict)
    """Objects, by heap identity, that exist at run time only, and their types."""
    dropped: frozenset[tuple[int, str]] = frozenset()
    """Variables first bound in the body, which the head does not know."""
    sizes: LoopSizes = field(default_factory=LoopSizes)
    """Sizes that change from one iteration to the next."""

    def renumber(self) -> None:
        """Forget what is said by position: positions are other ones now."""
        self.slots.clear()
        self.rebound.clear()
        self.apart.clear()
        self.sizes.clear()


@dataclass(slots=True)
class LoopEnds:
    """Where paths go from a loop."""

    exhausted: list[State] = field(default_factory=list)
    broken: list[State] = field(default_factory=list)
    others: list[Completion] = field(default_factory=list)
    apart: list[State] = field(default_factory=list)
    """Ends of the body whose structure is not that of the loop's head: the loop goes on from
    there as another one."""


Body = Callable[[State, LoopEnds], list[State]]
"""Evaluates an iteration; returns the states that go round, records the others."""


def roll(frame: Frame, node: cst.CSTNode, state: State, trips: Trips, body: Body) -> LoopEnds:
    """Evaluate a loop rolled, after peeling iterations that change the state's structure.

    Raises Refused where no fixed point is found.
    """
    ends = LoopEnds()
    pending = [state]
    reason = ""
    for _ in range(_MOST_PEELED + 1):
        following: list[State] = []
        for before in pending:
            try:
                following += _roll_from(frame, node, before, trips, body, ends)
            except _Unstable as unstable:
                reason = unstable.reason
                following += _peel(frame, before, trips, body, ends)
        if not following:
            return ends
        pending = join(frame, node, [Next(after) for after in following])
    frame.refuse(
        "DYCL062",
        node,
        f"this loop runs an unknown number of times, and {reason}",
        "keep the shapes of tensors and the structure of containers the same in every iteration",
    )


def _peel(frame: Frame, state: State, trips: Trips, body: Body, ends: LoopEnds) -> list[State]:
    following: list[State] = []
    for after, step in list(trips.step(frame, state)):
        following += _turn(after, step, body, ends)
    return following


def _turn(state: State, step: Step, body: Body, ends: LoopEnds) -> list[State]:
    match step:
        case Step.ENTER:
            return body(state, ends)
        case Step.LEAVE:
            ends.exhausted.append(state)
            return []
        case Step.SKIP:
            return [state]


def suite(frame: Frame, node: cst.For | cst.While) -> Body:
    """Return the body of a loop statement."""

    def body(state: State, ends: LoopEnds) -> list[State]:
        going_on: list[State] = []
        for completion in execute_suite(frame, node.body, state):
            match completion:
                case Next() | Continued():
                    going_on.append(completion.state)
                case Broke():
                    ends.broken.append(completion.state)
                case _:
                    ends.others.append(completion)
        return going_on

    return body


def _roll_from(
    frame: Frame, node: cst.CSTNode, state: State, trips: Trips, body: Body, ends: LoopEnds
) -> list[State]:
    """Find the fixed point from one state; leave ``state`` as it was on _Unstable.

    Returns the ends of the body from which the loop goes on with another structure.
    """
    run = frame.run
    head = _Head()
    for _ in range(_MOST_ATTEMPTS):
        checkpoint = run.builder.checkpoint(state.block)
        diagnostics, raised = len(run.diagnostics), len(run.sinks[-1])
        attempt = LoopEnds()
        run.unbound_reads.append(set())
        try:
            _attempt(frame, node, state.fork(state.block), trips, body, head, attempt)
        except (_Again, _Unstable, Refused) as stop:
            run.builder.rollback(checkpoint)
            del run.sinks[-1][raised:]
            if not isinstance(stop, _Again):
                raise
            del run.diagnostics[diagnostics:]
            continue
        finally:
            unbound = run.unbound_reads.pop()
            if run.unbound_reads:
                run.unbound_reads[-1] |= unbound
        ends.exhausted += attempt.exhausted
        ends.broken += attempt.broken
        ends.others += attempt.others
        return attempt.apart
    raise _Unstable("its state does not settle")


def _attempt(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    trips: Trips,
    body: Body,
    head: _Head,
    ends: LoopEnds,
) -> None:
    run = frame.run
    born = len(run.builder.variables)
    for identity, kind in head.objects.items():
        if not settle_as(frame, node, state, Reference(identity), kind):
            raise _Unstable(_DIFFERENT)
    roots = Roots(
        frames=run.live_frames(),
        attributes=tuple(state.attributes),
        versions=head.versions,
        loose=True,
        any_size=True,
    )
    before = Flattening(state, roots).run()
    at_head, targets = _generalised(frame, node, before, head)
    after = Flattening(at_head.fork(at_head.block), roots).run()
    writes = run.storages.writes
    back: list[State] = []
    for tested, step in list(trips.step(frame, at_head)):
        back += _turn(tested, step, body, ends)
    back = join(frame, node, [Next(end) for end in back])
    unstable: list[_Unstable] = []
    staying: list[State] = []
    for end in back:
        try:
            _check_back_edge(frame, node, end, roots, before, after, head, born)
            staying.append(end)
        except _Unstable as reason:
            unstable.append(reason)
            ends.apart.append(end)
    if unstable and not staying:
        raise unstable[0]
    for end in staying:
        leaves = Flattening(end, _back_roots(end, roots, head)).run().leaves
        if run.storages.writes > writes:
            _check_memory(run.storages, before.leaves, after.leaves, leaves)
        _assign_slots(frame, node, end, targets, leaves)
        run.builder.close(end.block, Jump(target=targets.block))


@dataclass(frozen=True, slots=True)
class _Targets:
    block: int
    variables: dict[int, Value]


def _generalised(
    frame: Frame, node: cst.CSTNode, before: Flattening, head: _Head
) -> tuple[State, _Targets]:
    """Open the head block; give every generalised slot a variable, assigned at the entry."""
    run = frame.run
    joiner = run.leaf_joiner()
    sizes = head.sizes.at_head(run, before.leaves)
    leaves = list(before.leaves)
    variables: dict[int, Value] = {}
    shared: dict[Hashable, Value] = {}
    for slot in sorted(head.slots):
        leaf = leaves[slot]
        key = ("apart", slot) if slot in head.apart else leaf_key(leaf)
        if key not in shared:
            made = joiner.new_leaf((leaf,), before.hints[slot])
            if isinstance(made, TensorValue):
                run.gradless.discard(made.name)
                if slot in head.rebound:
                    made = _rebound_tensor(frame, made, slot, sizes)
            elif isinstance(made, ScalarValue) and (slot, 0) in sizes:
                made = joiner.sizes.sized(run.builder, made.name, sizes[slot, 0])
            shared[key] = made
        variables[slot] = leaves[slot] = shared[key]
    block = run.builder.new_block()
    targets = _Targets(block, variables)
    _assign_slots(frame, node, before.state, targets, before.leaves)
    run.builder.close(before.state.block, Jump(target=block))
    at_head, _ = substitute(before, leaves, block)
    for identity, cell in before.state.heap.items():
        # Unreachable by name, but perhaps on its way in a caller's expression.
        at_head.heap.setdefault(identity, cell)
    return at_head, targets


def _rebound_tensor(
    frame: Frame, made: TensorValue, slot: int, sizes: dict[tuple[int, int], Size]
) -> TensorValue:
    """Return a tensor of the head that is another object, perhaps of other sizes, each time."""
    shape = tuple(
        sizes.get((slot, dimension), size) for dimension, size in enumerate(made.fake.shape)
    )
    fake = frame.run.storages.fresh_of_shape(made.fake, shape)
    frame.run.builder.respecify(made.name, tensor_spec(fake))
    return TensorValue(made.name, fake)


def _assign_slots(
    frame: Frame, node: cst.CSTNode, state: State, targets: _Targets, leaves: Sequence[Value]
) -> None:
    run = frame.run
    joiner = run.leaf_joiner()
    for slot, variable in targets.variables.items():
        leaf = leaves[slot]
        if isinstance(variable, TensorValue) and not same_view(variable.fake, tensor_of_leaf(leaf)):
            run.storages.relate(variable.fake, tensor_of_leaf(leaf))
    copies = {
        residual_name(variable): joiner.leaf_expression(leaves[slot])
        for slot, variable in targets.variables.items()
    }
    if copies:
        run.builder.emit(
            state.block,
            Copy(targets=tuple(copies), sources=tuple(copies.values()), origin=frame.origin(node)),
        )


def _back_roots(state: State, roots: Roots, head: _Head) -> Roots:
    """Return the roots at a back edge, without variables that the head does not know."""
    hidden: dict[int, set[str]] = {}
    for identity, name in head.dropped:
        hidden.setdefault(identity, set()).add(name)
    frames = tuple((i, live - frozenset(hidden.get(i, ()))) for i, live in roots.frames)
    return replace(roots, frames=frames)


def _check_back_edge(
    frame: Frame,
    node: cst.CSTNode,
    end: State,
    roots: Roots,
    entry: Flattening,
    at_head: Flattening,
    head: _Head,
    born: int,
) -> None:
    """Compare a back edge with the head; generalise the head (_Again) or give up (_Unstable)."""
    _drop_new_names(frame, end, roots, at_head.state, head)
    fresh = tuple(
        name
        for name in end.versions
        if frame.run.builder.age(name) < born and name not in head.versions
    )
    if fresh:
        head.versions = (*head.versions, *fresh)
        head.renumber()
        raise _Again
    if set(end.attributes) - set(roots.attributes):
        raise _Unstable("an attribute is written in the loop for the first time")
    flattening = _aligned(frame, node, end, roots, at_head, head)
    grown = {
        slot
        for slot, (one, two) in enumerate(zip(at_head.leaves, flattening.leaves, strict=True))
        if leaf_key(one) != leaf_key(two) and slot not in head.slots
    }
    resized = head.sizes.changed(frame.run, entry.leaves, at_head.leaves, flattening.leaves)
    head.rebound |= {slot for slot in resized if is_tensor_leaf(at_head.leaves[slot])}
    if grown or resized:
        head.slots |= grown | resized
        raise _Again
    _check_objects(at_head, flattening, head)


def _check_objects(at_head: Flattening, back: Flattening, head: _Head) -> None:
    """See whether slots still hold the tensor objects, and the common values, they began with."""
    rebound = {
        slot
        for slot in head.slots - head.rebound
        if isinstance(at_head.leaves[slot], TensorValue)
        and not same_view(tensor_of_leaf(at_head.leaves[slot]), tensor_of_leaf(back.leaves[slot]))
    }
    groups: dict[Hashable, set[int]] = {}
    for slot in head.slots:
        groups.setdefault(leaf_key(at_head.leaves[slot]), set()).add(slot)
    apart = {
        slot
        for group in groups.values()
        if len({leaf_key(back.leaves[slot]) for slot in group}) > 1
        for slot in group
    }
    if rebound or apart - head.apart:
        head.rebound |= rebound
        head.apart |= apart
        raise _Again


def _check_memory(
    storages: Storages, entry: list[Value], at_head: list[Value], back: list[Value]
) -> None:
    """See whether tensors share memory after an iteration that did not when it began.

    The body wrote in place: it must know all that may share memory in a later iteration.
    """
    tensors = [i for i, leaf in enumerate(at_head) if is_tensor_leaf(leaf)]
    first, start, end = (
        {i: tensor_of_leaf(leaves[i]) for i in tensors} for leaves in (entry, at_head, back)
    )
    meeting = [
        (first[i], first[j])
        for i, j in combinations(tensors, 2)
        if storages.may_coincide(end[i], end[j]) and not storages.may_coincide(start[i], start[j])
    ]
    meeting += [
        (first[i], end[i])
        for i in tensors
        if storages.may_last(end[i]) and not storages.may_last(start[i])
    ]
    for one, other in meeting:
        storages.relate(one, other)
    if meeting:
        raise _Again


def is_tensor_leaf(leaf: Value) -> bool:
    """Return whether a leaf is a tensor."""
    return isinstance(leaf, TensorValue) or (
        isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor)
    )


def tensor_of_leaf(leaf: Value) -> torch.Tensor:
    """Return the fake or known tensor of a tensor leaf."""
    if isinstance(leaf, TensorValue):
        return leaf.fake
    assert isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor)
    return leaf.value


def _drop_new_names(frame: Frame, end: State, roots: Roots, at_head: State, head: _Head) -> None:
    dropped: set[tuple[int, str]] = set()
    for identity, live in roots.frames:
        bound = at_head.frames.get(identity, {})
        for name in live & end.frames.get(identity, {}).keys():
            if name not in bound:
                dropped.add((identity, name))
    later = frame.continuations[-2] if len(frame.continuations) > 1 else frozenset()
    needed = frame.run.unbound_reads[-1] | {(frame.identity, name) for name in later}
    if dropped & needed:
        raise _Unstable("a variable is bound in the loop for the first time")
    head.dropped |= dropped


def _aligned(
    frame: Frame, node: cst.CSTNode, end: State, roots: Roots, at_head: Flattening, head: _Head
) -> Flattening:
    """Give a back edge's objects the structure they have at the head, or generalise the head."""
    for _ in range(_MOST_ATTEMPTS):
        back = Flattening(end, _back_roots(end, roots, head)).run()
        if back.shape == at_head.shape:
            return back
        position = first_difference(at_head, back)
        one, other = at_head.objects_at.get(position), back.objects_at.get(position)
        if one is None or other is None:
            raise _Unstable(_difference(at_head, back))
        cell = at_head.state.heap[one]
        if isinstance(cell, RunTimeCell):
            if not settle_as(frame, node, end, Reference(other), cell.type):
                raise _Unstable(_DIFFERENT)
            continue
        kind = type_for_both(at_head.state, Reference(one), end, Reference(other))
        if kind is None or one in head.objects:
            raise _Unstable(_DIFFERENT)
        head.objects[one] = kind
        head.renumber()
        raise _Again
    raise _Unstable("its state does not settle")


def _difference(at_head: Flattening, back: Flattening) -> str:
    for one, two in zip(at_head.shape, back.shape, strict=False):
        if one == two:
            continue
        if isinstance(one, tuple) and isinstance(two, tuple) and one[0] == two[0] == "tensor":
            return "the rank, element type or layout of a tensor changes in it"
        return "the structure of its variables changes in it"
    return "the structure of its variables changes in it"
