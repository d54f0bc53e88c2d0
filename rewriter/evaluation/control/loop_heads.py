"""What is generalised at the head of a rolled loop, and the variables that stand for it."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from rewriter.builder import tensor_spec
from rewriter.evaluation.control.asking_at_heads import ask_at_head, asking
from rewriter.evaluation.control.loop_relations import LoopRelations
from rewriter.evaluation.control.loop_sizes import LoopSizes
from rewriter.evaluation.run import Frame, Run
from rewriter.flattening import Flattening
from rewriter.host_types import ContainerType, SequenceType
from rewriter.leaves import leaf_key, residual_name, tensor_of_leaf
from rewriter.on_the_way import keep_frames_on_the_way
from rewriter.program import Copy, Jump
from rewriter.rebuilding import substitute
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import HostValue, ScalarValue, TensorValue, Value

DIFFERENT = "the elements of a container that changes in it differ in structure"
"""What a refusal says of a loop whose lists hold now this, now that."""


class Unstable(Exception):
    """The structure of the state changes from one iteration to the next."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Again(Exception):
    """The head was generalised further: the body must be evaluated again."""

    def __init__(self, level: int | None = None) -> None:
        self.level = level
        """Which of several heads that was; the innermost for None."""
        super().__init__()


@dataclass(slots=True)
class LoopHead:
    """What is generalised at the loop head."""

    slots: set[int] = field(default_factory=set)
    """Positions of leaves that are run-time variables."""
    arrays: dict[int, HostValue] = field(default_factory=dict)
    """What stands for the arrays that such a slot holds, at the head and after an iteration."""
    rebound: set[int] = field(default_factory=set)
    """Tensor slots that hold another tensor object after an iteration."""
    apart: set[int] = field(default_factory=set)
    """Slots that start as one value with another slot and do not stay so."""
    versions: tuple[str, ...] = ()
    """Tensors from before the loop that the body writes in place."""
    objects: dict[int, ContainerType] = field(default_factory=dict)
    """Objects, by heap identity, that exist at run time only, and their types."""
    walks: list[int] | None = None
    """Iterators over lists among these, by heap identity: at which place they are, a run says.
    None where that is not tried yet."""
    dropped: frozenset[tuple[int, str]] = frozenset()
    """Variables first bound in the body, which the head does not know."""
    tuples: dict[tuple[int, str], SequenceType] = field(default_factory=dict)
    """Variables that hold tuples of any length."""
    sizes: LoopSizes = field(default_factory=LoopSizes)
    """Sizes that change from one iteration to the next."""
    relations: LoopRelations = field(default_factory=LoopRelations)
    """What is assumed of them."""
    asking: set[int] = field(default_factory=set)
    """Leaves that are taken for tensors which ask for gradients."""
    silent: set[int] = field(default_factory=set)
    """Leaves that were taken for such, and are none after an iteration."""
    may_ask: set[int] = field(default_factory=set)
    """Leaves that may be such tensors after an iteration."""

    def renumber(self) -> None:
        """Forget what is said by position: positions are other ones now."""
        self.slots.clear()
        self.arrays.clear()
        self.rebound.clear()
        self.apart.clear()
        self.sizes.clear()
        self.silent.clear()
        self.may_ask.clear()


@dataclass(frozen=True, slots=True)
class Targets:
    """The block of a head, and the variables that stand for its generalised slots."""

    block: int
    variables: dict[int, Value]


def generalised(
    frame: Frame, node: cst.CSTNode, before: Flattening, head: LoopHead
) -> tuple[State, Targets]:
    """Open the head block; give every generalised slot a variable, assigned at the entry."""
    run = frame.run
    joiner = run.leaf_joiner()
    head.asking = asking(run, before) - head.silent
    sizes = head.sizes.at_head(run, before.leaves)
    leaves = list(before.leaves)
    variables: dict[int, Value] = {}
    shared: dict[Hashable, Value] = {}
    for slot in sorted(head.slots):
        leaf = leaves[slot]
        own = slot in head.apart or slot in head.arrays
        key = ("apart", slot) if own else leaf_key(leaf)
        if key not in shared:
            made = joiner.new_leaf((leaf,), before.hints[slot])
            if isinstance(made, TensorValue):
                run.gradless.discard(made.name)
                run.storages.flag(made.name, ["asking"] if slot in head.may_ask else [])
                if slot in head.rebound:
                    made = _rebound_tensor(frame, made, slot, sizes)
            elif isinstance(made, HostValue) and slot in head.arrays:
                made = replace(head.arrays[slot], name=made.name)
            elif isinstance(made, ScalarValue) and (slot, 0) in sizes:
                made = joiner.sizes.sized(run.builder, made.name, sizes[slot, 0])
            shared[key] = made
        variables[slot] = leaves[slot] = shared[key]
    block = run.builder.new_block()
    targets = Targets(block, variables)
    assign_slots(frame, node, before.state, targets, before.leaves)
    run.builder.close(before.state.block, Jump(target=block))
    at_head, _ = substitute(before, leaves, block)
    for identity, cell in before.state.heap.items():
        # Unreachable by name, but perhaps on its way in a caller's expression.
        at_head.heap.setdefault(identity, cell)
    keep_frames_on_the_way(at_head, [before.state], before.roots.frames)
    head.relations.assume(run, head.sizes, sizes, before.leaves, at_head)
    ask_at_head(frame, at_head, [leaves[slot] for slot in sorted(head.asking)])
    return at_head, targets


def ask_otherwise(run: Run, head: LoopHead, at_head: Flattening, back: Flattening) -> bool:
    """Return whether other tensors ask for gradients in the end than were taken to."""
    silent = head.asking - asking(run, back)
    head.silent |= silent
    names, pairs = run.storages.asking, zip(at_head.leaves, back.leaves, strict=True)
    more = {
        slot
        for slot, (one, two) in enumerate(pairs)
        if isinstance(one, TensorValue) and isinstance(two, TensorValue)
        if two.name in names and one.name not in names
    }
    head.may_ask |= more
    return bool(silent or more)


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


def assign_slots(
    frame: Frame, node: cst.CSTNode, state: State, targets: Targets, leaves: Sequence[Value]
) -> None:
    """Give the head's variables what they hold where a path enters it."""
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
