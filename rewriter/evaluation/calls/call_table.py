"""What one partial evaluation knows about calls: those being evaluated, those made functions."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from rewriter.builder import Builder
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_results import Outcome
from rewriter.evaluation.calls.context_contents import Contents
from rewriter.evaluation.calls.hook_tables import HookTables
from rewriter.evaluation.calls.open_managers import OpenManagers
from rewriter.host_types import ContainerType, ObjectType
from rewriter.program import BlockId
from rewriter.source import FunctionSource
from rewriter.state import State
from rewriter.values import Value


@dataclass(slots=True, kw_only=True, eq=False)
class Specialisation:
    """A function evaluated on its own, for all calls that look the same."""

    name: str
    """Unique, for people to read in errors of ours only."""
    hint: str
    """What the user would call it."""
    call: AbstractCall
    """The call that it was made for."""
    keeper: int
    """Identity of the frame that keeps what the caller handed over."""
    inside: State
    """The state that the function starts from."""
    parameters: tuple[Value, ...] = ()
    """The values of the arguments inside of the function."""
    writable: frozenset[int] = frozenset()
    """The arguments that are tensors which it may write in place."""
    written: frozenset[int] = frozenset()
    """Those that it does write, as far as is known."""
    outcomes: tuple[Outcome, ...] = ()
    """How calls may end: what is known so far, while it is being evaluated."""
    any_size: bool = False
    """Whether tensors that it gives back may have sizes known at run time only."""
    is_complete: bool = False
    is_asked: bool = False
    """Whether the outcomes were asked for while it was being evaluated."""
    never_returns: bool = False
    """Whether no path through it ends without an exception."""
    relies_on: set[Hashable] = field(default_factory=set)
    """Functions not complete yet whose outcomes it was evaluated with, by key."""
    unbound_reads: frozenset[tuple[int, str]] = frozenset()
    builder: Builder = field(default_factory=Builder)
    entry: BlockId = 0


@dataclass(slots=True, kw_only=True, eq=False)
class Activation:
    """A call that is being inlined."""

    call: AbstractCall
    branches: int
    """How many tests had been emitted when it began."""
    state: State
    """The caller's state then."""
    variables: Mapping[str, Value]
    """What it hands over, by parameter."""
    frame: int
    """Identity of the frame of what is called."""
    has_ended: bool = False
    """Whether a path has returned from it already."""


Grown: TypeAlias = ContainerType | ObjectType
"""The type of what grows; texts are objects of the host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What calls within calls hand over that is more, or another number, at every depth."""

    containers: Mapping[str | int, Grown]
    """By parameter, or by identity of what is reached otherwise."""
    numbers: frozenset[str]


class GrowsWithin(Exception):
    """Functions within functions are evaluated for containers that are longer each time."""

    def __init__(self, function: Hashable, growth: Growth) -> None:
        self.function = function
        self.growth = growth
        super().__init__("a container grows from call to call")


class BecomeFunction(Exception):
    """A call that is being inlined comes back to itself: it must become a function."""

    def __init__(
        self,
        activation: Activation,
        widened: frozenset[int] = frozenset(),
        growth: Growth | None = None,
    ) -> None:
        self.activation = activation
        self.widened = widened
        self.growth = growth
        super().__init__("a call comes back to itself")


@dataclass(slots=True, kw_only=True)
class CallTable:
    """The calls of one partial evaluation."""

    specialisations: dict[Hashable, Specialisation] = field(default_factory=dict)
    finished: dict[str, Specialisation] = field(default_factory=dict)
    """Every function that was completed, by its unique name."""
    evaluating: list[Specialisation] = field(default_factory=list)
    """Functions being evaluated, outermost first."""
    active: list[Activation] = field(default_factory=list)
    """Calls being inlined, outermost first."""
    branches: dict[Hashable, int] = field(default_factory=dict)
    """How many tests inlining a call emitted, by key."""
    inlined_only: set[Hashable] = field(default_factory=set)
    """Calls that cannot be functions, by key."""
    unstoppable: Diagnostic | None = None
    """That a StopIteration may leave a recursive generator, which can be no function then."""
    handed_loops: set[cst.CSTNode] = field(default_factory=set)
    """Over recursive generators, which call the body: asking step by step was refused before."""
    widened: dict[Hashable, frozenset[int]] = field(default_factory=dict)
    """Known numbers that are given at run time, by the shape of a call."""
    never_widened: set[Hashable] = field(default_factory=set)
    """Shapes of calls whose numbers must stay known."""
    never_grown: set[Hashable] = field(default_factory=set)
    """Functions whose containers must keep their known structure."""
    renamed: set[FunctionSource] = field(default_factory=set)
    """Functions that ``functools.wraps`` gave the names of others."""
    cached: set[FunctionSource] = field(default_factory=set)
    """Functions of the prelude that stand for those that ``functools.cache`` makes."""
    contexts: Contents = field(default_factory=Contents)
    """What context variables hold."""
    managers: OpenManagers = field(default_factory=OpenManagers)
    """Which managers calls have entered and not left."""
    hooks: HookTables = field(default_factory=HookTables)
    """Which hooks calls have registered and not removed."""
    counter: int = 0

    def outermost(self, call: AbstractCall) -> Activation | None:
        """Return the outermost call being inlined that looks the same."""
        return next((each for each in self.active if each.call.key == call.key), None)

    def chain(self, call: AbstractCall) -> list[Activation]:
        """Return the calls being inlined that differ in compile-time numbers only."""
        return [each for each in self.active if each.call.is_alike(call)]

    def evaluations(self, function: Hashable) -> list[Specialisation]:
        """Return those being evaluated that are of a function, outermost first."""
        return [each for each in self.evaluating if each.call.function == function]

    def may_grow(self, growing: GrowsWithin, call: AbstractCall) -> bool:
        """Return whether a call is the outermost one of the function whose containers grow."""
        return growing.function == call.function and not self.evaluations(growing.function)

    def note_end(self, frame: int) -> None:
        """Record that a path returns from the call that has a frame."""
        if self.active and self.active[-1].frame == frame:
            self.active[-1].has_ended = True

    def ask(self, function: Specialisation) -> None:
        """Record that a function's outcomes are used by all that is being evaluated."""
        if function.is_complete:
            relied = set(function.relies_on)
        else:
            function.is_asked = True
            relied = {function.call.key}
        for each in self.evaluating:
            each.relies_on |= relied - {each.call.key}

    def forget(self, function: Specialisation) -> None:
        """Drop the functions that were evaluated with outcomes that turned out too few."""
        key = function.call.key
        for other in [o for o in self.specialisations.values() if key in o.relies_on]:
            if other.is_complete:
                del self.specialisations[other.call.key]

    def settle(self, function: Specialisation) -> None:
        """Record that a function's outcomes are final, as far as those that it relies on are.

        Who relied on it while it was being evaluated relies on those now.
        """
        function.is_complete = True
        self.finished[function.name] = function
        key = function.call.key
        for other in self.specialisations.values():
            if key in other.relies_on:
                other.relies_on |= function.relies_on - {other.call.key}
                other.relies_on.discard(key)
