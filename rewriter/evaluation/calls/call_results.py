"""How a call of a function may end: the shape of what it gives back, and what it changed.

An outcome is the state at the function's end, seen from the result and from all that the
caller handed over. Its leaves are what the caller passed, compile-time objects, or values
that the function makes and returns. Ends of different shapes are different outcomes.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from rewriter.evaluation.calls.open_sizes import Pattern, joined_pattern, pattern_of, tensor_of
from rewriter.flattening import Flattening
from rewriter.leaves import leaf_key
from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value

if TYPE_CHECKING:
    from rewriter.evaluation.run import Run


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument of the call, unchanged."""

    index: int


@dataclass(frozen=True, slots=True)
class Constant:
    """An object known at compile time."""

    value: Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the caller must know about a returned tensor's memory."""

    arguments: frozenset[int] = frozenset()
    """The arguments that it may share memory with."""
    slots: frozenset[int] = frozenset()
    """The other leaves that it may share memory with."""
    lasts: bool = False
    """Whether it may be memory of the model."""
    exported: bool = False
    flags: frozenset[str] = frozenset()

    def __or__(self, other: "Memory") -> "Memory":
        """Return what holds where either may hold."""
        return Memory(
            arguments=self.arguments | other.arguments,
            slots=self.slots | other.slots,
            lasts=self.lasts or other.lasts,
            exported=self.exported or other.exported,
            flags=self.flags | other.flags,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A value that the function returns."""

    leaf: Value
    place: int
    """The first leaf that is the same value."""
    memory: Memory


Slot: TypeAlias = Passed | Constant | Made


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One way in which calls of a function end."""

    raised: bool
    """Whether the value is an exception on its way."""
    end: Flattening
    slots: tuple[Slot, ...]
    sizes: Pattern | None = None
    """The sizes of the arguments and the leaves, where some are open, else None."""
    given_back: tuple[int, ...] = ()
    """Which leaves are arguments, where paths are kept apart by the memory that tensors have."""

    @property
    def shape(self) -> Hashable:
        """Return what outcomes must share to be one."""
        return (self.raised, tuple(self.end.shape), self.given_back)

    @property
    def returned(self) -> tuple[int, ...]:
        """Return the leaves that the function returns, in order."""
        return tuple(
            position
            for position, slot in enumerate(self.slots)
            if isinstance(slot, Made) and slot.place == position
        )


def outcome_of(
    run: "Run", end: Flattening, parameters: Sequence[Value], *, raised: bool
) -> Outcome:
    """Return the outcome that one end of a function shows."""
    passed = {leaf_key(parameter): index for index, parameter in enumerate(parameters)}
    places: dict[Hashable, int] = {}
    slots: list[Slot] = []
    for position, leaf in enumerate(end.leaves):
        key = leaf_key(leaf)
        match leaf:
            case TensorValue() | ScalarValue() | HostValue() if key in passed:
                slots.append(Passed(passed[key]))
            case Known():
                slots.append(Constant(leaf))
            case _:
                place = places.setdefault(key, position)
                memory = _memory(run, end, position, parameters)
                slots.append(Made(leaf=leaf, place=place, memory=memory))
    sizes = pattern_of((*parameters, *end.leaves)) if end.roots.any_size else None
    given_back = [
        place
        for place, (slot, leaf) in enumerate(zip(slots, end.leaves, strict=True))
        if isinstance(slot, Passed) and isinstance(leaf, TensorValue)
    ]
    return Outcome(
        raised=raised,
        end=end,
        slots=tuple(slots),
        sizes=sizes,
        given_back=tuple(given_back) if run.options.known_memory else (),
    )


def _memory(run: "Run", end: Flattening, position: int, parameters: Sequence[Value]) -> Memory:
    leaf, storages = end.leaves[position], run.storages
    if not isinstance(leaf, TensorValue):
        return Memory()
    fakes = {i: p.fake for i, p in enumerate(parameters) if isinstance(p, TensorValue)}
    tensors = {i: tensor_of(other) for i, other in enumerate(end.leaves) if i != position}
    return Memory(
        arguments=frozenset(
            i for i, fake in fakes.items() if storages.may_coincide(leaf.fake, fake)
        ),
        slots=frozenset(
            i for i, t in tensors.items() if t is not None and storages.may_coincide(leaf.fake, t)
        ),
        lasts=storages.may_last_beyond(leaf.fake, fakes.values()),
        exported=storages.may_be_exported(leaf.fake),
        flags=storages.flags(leaf.name),
    )


def joined(before: Sequence[Outcome], now: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Return what is true of outcomes found earlier and of those found now."""
    outcomes = {outcome.shape: outcome for outcome in before}
    for outcome in now:
        known = outcomes.get(outcome.shape)
        outcomes[outcome.shape] = outcome if known is None else _joined(known, outcome)
    return tuple(outcomes.values())


def _joined(before: Outcome, now: Outcome) -> Outcome:
    pairs = enumerate(zip(before.slots, now.slots, strict=True))
    leaves = now.end.leaves
    slots = tuple(_joined_slot(i, one, two, leaves[i]) for i, (one, two) in pairs)
    sizes = None
    if before.sizes is not None and now.sizes is not None:
        sizes = joined_pattern(before.sizes, now.sizes)
    return replace(now, slots=slots, sizes=sizes)


def _joined_slot(position: int, before: Slot, now: Slot, leaf: Value) -> Slot:
    match before, now:
        case Passed(one), Passed(two) if one == two:
            return now
        case Constant(one), Constant(two) if leaf_key(one) == leaf_key(two):
            return now
        case Made(), Made():
            place = now.place if now.place == before.place else position
            return replace(now, place=place, memory=before.memory | now.memory)
        case _:
            return Made(leaf=leaf, place=position, memory=_found(before, leaf) | _found(now, leaf))


def _found(slot: Slot, leaf: Value) -> Memory:
    match slot:
        case Passed(index):
            flags = frozenset({"callers"})
            return Memory(arguments=frozenset({index}), flags=flags)
        case Constant():
            lasts = tensor_of(leaf) is not None
            return Memory(lasts=lasts, flags=frozenset({"callers"} if lasts else ()))
        case Made():
            return slot.memory


def is_settled(before: Sequence[Outcome], now: Sequence[Outcome]) -> bool:
    """Return whether joining found nothing new."""
    return list(_marks(before)) == list(_marks(now))


def _marks(outcomes: Sequence[Outcome]) -> Iterator[Hashable]:
    for outcome in outcomes:
        yield outcome.shape
        yield outcome.sizes
        for slot in outcome.slots:
            match slot:
                case Passed():
                    yield slot
                case Constant():
                    yield ("constant", leaf_key(slot.value))
                case Made():
                    yield ("made", slot.place, slot.memory)
