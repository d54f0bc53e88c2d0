"""What a call looks like to the function that is called, and when two calls look the same.

A function sees the values of its variables, what they reach, the variables of the functions
around it and the attributes written so far. All this is flattened as at a join: compile-time
objects and the structure are part of what makes a call, run-time leaves are its arguments.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rewriter.evaluation.calls.open_sizes import Pattern, are_fixed, pattern_of
from rewriter.evaluation.control.autocasting import cast_settings
from rewriter.evaluation.control.container_changes import walked_over
from rewriter.flattening import SCALAR_TYPES, Flattening, Roots
from rewriter.leaves import leaf_key
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value

if TYPE_CHECKING:
    from rewriter.evaluation.run import Frame, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstractCall:
    """A call as the called function sees it."""

    flattening: Flattening
    """The values of the function's variables (``extra``), and what they reach."""
    slots: tuple[int | None, ...]
    """For each leaf which argument it is, None for those that stay known."""
    arguments: tuple[Value, ...]
    """The leaves that are given at run time."""
    hints: tuple[str, ...]
    shape: Hashable
    """Equal for calls that differ in compile-time numbers only."""
    numbers: tuple[Hashable, ...]
    """The leaves that are known, as far as they are no arguments."""
    watched: tuple[int, ...]
    """The objects that the caller is walking over, by their place among the cells."""
    sizes: Pattern | None
    """The sizes of the leaves, where some are open."""
    memory: Hashable
    """Which arguments may share memory, with each other or with arrays, and what may be
    done with them."""

    @property
    def key(self) -> Hashable:
        """Return what is equal for two calls that one function can serve."""
        return (self.shape, self.slots, self.numbers, self.sizes, self.memory, self.watched)

    @property
    def function(self) -> Hashable:
        """Return what the calls of one function share, whatever they hand over."""
        assert isinstance(self.shape, tuple)
        function: Hashable = self.shape[0]
        return function

    def is_alike(self, other: "AbstractCall") -> bool:
        """Return whether two calls differ at most in compile-time numbers."""
        return (self.shape, self.slots, self.sizes, self.memory) == (
            other.shape,
            other.slots,
            other.sizes,
            other.memory,
        )

    def differing(self, other: "AbstractCall") -> frozenset[int]:
        """Return the leaves of two calls that are alike which are different numbers."""
        pairs = zip(self.flattening.leaves, other.flattening.leaves, strict=True)
        return frozenset(
            position
            for position, ((one, two), slot) in enumerate(zip(pairs, self.slots, strict=True))
            if slot is None and leaf_key(one) != leaf_key(two)
        )


def abstract_call(
    callee: "Frame",
    state: State,
    variables: Mapping[str, Value],
    widened: Mapping[Hashable, frozenset[int]],
) -> AbstractCall | None:
    """Return what a call looks like, None where one of its values was refused already.

    ``widened`` names, by shape, the known numbers that are arguments nevertheless.
    """
    run = callee.run
    roots = Roots(
        frames=tuple((outer.identity, outer.source.shared) for outer in callee.lexical),
        attributes=tuple(state.attributes),
        extra=tuple(variables.values()),
        hints=tuple(variables),
    )
    flattening, sizes = Flattening(state, roots).run(), None
    if not are_fixed(flattening.leaves):
        flattening = Flattening(state, replace(roots, any_size=True)).run()
        sizes = pattern_of(flattening.leaves)
    if "poison" in flattening.shape:
        return None
    shape = (
        _function_key(callee),
        _modes(run),
        state.phase,
        tuple(variables),
        tuple(flattening.shape),
    )
    slots, arguments, hints = _arguments(flattening, widened.get(shape, frozenset()))
    walked = walked_over(state, flattening.cells)
    lasting = tuple(identity in run.lasting_cells for identity in flattening.cells)
    return AbstractCall(
        flattening=flattening,
        slots=slots,
        arguments=arguments,
        hints=hints,
        shape=shape,
        numbers=tuple(
            leaf_key(leaf)
            for leaf, slot in zip(flattening.leaves, slots, strict=True)
            if slot is None
        ),
        watched=tuple(
            place for place, identity in enumerate(flattening.cells) if identity in walked
        ),
        sizes=sizes,
        memory=(_memory(run, arguments), lasting),
    )


def _function_key(callee: "Frame") -> Hashable:
    closure = tuple((name, id(content)) for name, content in callee.closure.items())
    lexical = tuple(outer.identity for outer in callee.lexical)
    return (callee.source.node, lexical, closure, id(callee.owner))


def _modes(run: "Run") -> tuple[Hashable, ...]:
    """Return what open ``with`` and ``try`` statements make of the code inside of them."""
    guarded = (run.guarded > 0, run.guarded_tensors > 0, run.protecting > 0, run.guarded_depth > 0)
    told = (run.guarded_tensors > run.guarded_indices, run.guarded_tensors == run.guarded_blindly)
    seen = run.seen_indices > 0
    errors = tuple(tuple(settings.items()) for settings in run.numpy_errors)
    modes = (tuple(run.grad_modes), cast_settings(run))
    looked = frozenset(run.risks.looked_at)
    return (*modes, errors, bool(run.warning_scopes), *guarded, *told, seen, looked)


def _arguments(
    flattening: Flattening, widened: frozenset[int]
) -> tuple[tuple[int | None, ...], tuple[Value, ...], tuple[str, ...]]:
    slots: list[int | None] = []
    arguments: list[Value] = []
    hints: list[str] = []
    numbers: dict[str, int] = {}
    for position, (leaf, hint) in enumerate(zip(flattening.leaves, flattening.hints, strict=True)):
        slot: int | None = len(arguments)
        match leaf:
            case Known() if position not in widened or type(leaf.value) not in SCALAR_TYPES:
                slot = None
            case TensorValue() | ScalarValue() | HostValue() if position not in widened:
                slot = numbers.setdefault(leaf.name, len(arguments))
        slots.append(slot)
        if slot == len(arguments):
            arguments.append(leaf)
            hints.append(hint)
    return tuple(slots), tuple(arguments), tuple(hints)


def _memory(run: "Run", arguments: tuple[Value, ...]) -> Hashable:
    groups: dict[int, int] = {}
    found: list[Hashable] = []
    for argument in arguments:
        match argument:
            case TensorValue():
                group = groups.setdefault(run.storages.group(argument.fake), len(groups))
                exported = run.storages.may_be_exported(argument.fake)
                flags = run.storages.flags(argument.name) - {"callers"}
                found.append((group, exported, flags))
            case _:
                found.append(None)
    return tuple(found)
