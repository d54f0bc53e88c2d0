"""Generator functions: evaluated from one ``yield`` to the next, as they are asked for.

A generator that waits is an iterator whose source is the stack of what it has still to do:
suites with the place reached in them, loops, ``try`` statements. Its variables stay in a
frame of its own. Statements without ``yield`` are executed as everywhere else.
"""

from dataclasses import dataclass, replace

import libcst as cst

from rewriter.descendants import children_of, descendants
from rewriter.evaluation.containers.lazy_iterators import (
    SKIPPED,
    Ended,
    GeneratorSource,
    Items,
    ends_at_run_time,
    lazy_iterator,
    refuse_becoming_run_time,
)
from rewriter.evaluation.control.exceptions import exception_class
from rewriter.evaluation.generators.generator_machine import GeneratorMachine
from rewriter.evaluation.generators.generator_stack import (
    Concluding,
    Delegating,
    Looping,
    Managed,
    Protected,
    Stack,
    Statements,
    Step,
    Yielded,
    hidden_name,
    never_done,
)
from rewriter.evaluation.run import Frame, Run, active
from rewriter.scope import contains_yield
from rewriter.state import Raised, Returned, State
from rewriter.values import (
    NONE,
    IteratorCell,
    IteratorValue,
    Known,
    ObjectCell,
    Reference,
    TupleValue,
    Value,
    is_none,
)


@dataclass(frozen=True, slots=True)
class Waiting(GeneratorSource):
    """The source of a generator's iterator."""

    identity: int
    """Of its frame."""
    stack: Stack
    enclosing: tuple[int, ...] = ()
    is_library: bool = False
    is_expected: bool = False
    """Whether it was tried, and is known to come to a loop that ends at run time."""
    is_managed: bool = False
    """Whether it is a manager's, which lets it run to its end."""

    @property
    def captured(self) -> tuple[int, ...]:
        """Identities of the frames whose variables it may read."""
        return (self.identity, *self.enclosing)

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return whether a loop has begun of which it is known only at run time when it ends."""
        del items
        if self.is_expected or self.is_undecided:
            return True
        variables = state.frames.get(self.identity, {})
        loops = (item.node for item in self.stack if isinstance(item, Looping | Delegating))
        iterators = (variables.get(hidden_name(node)) for node in loops)
        return any(ends_at_run_time(state, each) for each in iterators if each is not None)

    @property
    def is_undecided(self) -> bool:
        """Return whether it is in a ``while`` loop that ends at run time."""
        return any(item.undecided for item in self.stack if isinstance(item, Looping))

    @property
    def is_endless(self) -> bool:
        """Return whether it is in a loop that nothing leaves, or comes to one for certain."""
        return any(map(never_done, self.stack))

    @property
    def is_in_while(self) -> bool:
        """Return whether it is in a ``while`` loop."""
        loops = (item.node for item in self.stack if isinstance(item, Looping))
        return any(isinstance(node, cst.While) for node in loops)

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Go on until the next ``yield``."""
        del node
        return self._given(frame.run, iterator, resume(frame.run, self, state, skipping=True))

    def send(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, sent: Value
    ) -> Items:
        """Go on until the next ``yield``, with what the one gives that it waits at."""
        del node
        return self._given(frame.run, iterator, resume(frame.run, self, state, sent=sent))

    def _given(self, run: Run, iterator: IteratorValue, steps: list[Step]) -> Items:
        for step in steps:
            settle(run, iterator, self, step)
            match step:
                case Yielded():
                    yield step.state, step.value
                case Returned():
                    yield step.state, None
                case Raised():
                    run.raise_(step.state, leaving(run, step))


def start_generator(caller: Frame, node: cst.CSTNode, callee: Frame, state: State) -> IteratorValue:
    """Return the iterator of a generator function whose arguments are bound."""
    is_managed = callee.run.closes_generators
    if sees_closing(callee.source.node) or (not is_managed and cleans_up(callee.source.node)):
        callee.run.calls.managers.origin = caller.origin(node)
    body = callee.source.node.body
    if not isinstance(body, cst.BaseSuite):
        caller.refuse("DYCL002", node, "a lambda with `yield` is not supported", "use `def`")
    enclosing = tuple(outer.identity for outer in callee.lexical)
    stack = (Statements(tuple(body.body)),)
    is_prelude = callee.source.is_prelude
    waiting = Waiting(callee.identity, stack, enclosing, is_prelude, is_managed=is_managed)
    return lazy_iterator(callee.run, state, (), waiting)


def resume(
    run: Run,
    waiting: Waiting,
    state: State,
    thrown: Value | None = None,
    *,
    sent: Value = NONE,
    skipping: bool = False,
) -> list[Step]:
    """Go on to the next ``yield`` or the end, from an exception where one is thrown in.

    ``sent`` is what the ``yield`` gives that it waits at. ``skipping`` says that the caller goes
    round loops which end at run time.
    """
    callee = run.lexical[waiting.identity]
    if any(frame is callee for frame in run.frames):
        callee.refuse("DYCL002", callee.source.node, "a generator asks itself for an item")
    if not waiting.is_managed:
        _require_no_mode(run, state, waiting.identity, waiting.stack)
    machine = GeneratorMachine(callee)
    with active(callee):
        previous, callee.live = callee.live, machine.every
        callee.continuations.append(machine.every)
        callee.landing = callee.caught = machine.every
        run.catching.append(callee)
        try:
            machine.begin(state, waiting.stack)
            if thrown is None:
                machine.go_on(state, waiting.stack, sent)
            else:
                machine.unwind(Raised(state, thrown), waiting.stack)
            steps = machine.run()
            if not skipping and any(isinstance(s, Yielded) and s.value is SKIPPED for s in steps):
                refuse_becoming_run_time(callee, callee.source.node)
            return steps
        finally:
            run.catching.pop()
            callee.continuations.pop()
            callee.live = previous


def is_waiting(state: State, iterator: IteratorValue) -> bool:
    """Return whether an iterator is a generator's that has not ended."""
    return isinstance(state.cell(Reference(iterator.identity), IteratorCell).source, Waiting)


def foreseen(run: Run, state: State, iterator: IteratorValue) -> None:
    """Let a generator be one that ends at run time, before it comes to the loop that does."""
    cell = state.cell(Reference(iterator.identity), IteratorCell)
    assert isinstance(cell.source, Waiting)
    source = replace(cell.source, is_expected=True)
    run.update(state, Reference(iterator.identity), IteratorCell(cell.items, source))


def settle(run: Run, iterator: IteratorValue, waiting: Waiting, step: Step) -> None:
    """Record in the iterator how far its generator has come."""
    returned = (step.value,) if isinstance(step, Returned) and not is_none(step.value) else ()
    cell = IteratorCell(returned, Ended(waiting.is_library))
    if isinstance(step, Yielded):
        cell = IteratorCell((), replace(waiting, stack=step.stack))
    run.update(step.state, Reference(iterator.identity), cell)
    waits = isinstance(step, Yielded) and _waits_for_closing(step.stack, waiting.is_managed)
    run.calls.managers.follow(step.state, iterator, waits=waits)
    if waits and isinstance(step, Yielded) and not waiting.is_managed:
        _require_no_mode(run, step.state, waiting.identity, step.stack)


def _waits_for_closing(stack: Stack, is_managed: bool) -> bool:
    """Return whether a generator waits where something of its would run when it is closed."""
    for item in stack:
        if isinstance(item, Protected) and _sees_closing(item.node):
            return True
        cleans = isinstance(item, Managed) or (
            isinstance(item, Protected | Concluding) and item.node.finalbody is not None
        )
        if cleans and not is_managed:
            return True
    return False


def _require_no_mode(run: Run, state: State, identity: int, stack: Stack) -> None:
    """Refuse a generator that waits under a mode that whoever holds it would run under, too."""
    # Managers may be made of generators: a real cycle.
    from rewriter.evaluation.control.generated_managers import managers_of
    from rewriter.evaluation.control.stacked_managers import require_neutral

    callee = run.lexical[identity]
    for manager in managers_of(callee, state, stack):
        require_neutral(callee, callee.source.node, state, manager)


def leaving(run: Run, step: Raised) -> Value:
    """Return the exception that leaves a generator: ``StopIteration`` must not (PEP 479)."""
    if not issubclass(exception_class(step.state, step.exception), StopIteration):
        return step.exception
    args = TupleValue((Known("generator raised StopIteration"),))
    attributes = {"args": args, "__cause__": step.exception}
    return run.allocate(step.state, ObjectCell(RuntimeError, attributes))


def closes_late(function: cst.CSTNode) -> bool:
    """Return whether leaving a generator alone would run code of its."""
    return cleans_up(function) or sees_closing(function)


def cleans_up(function: cst.CSTNode) -> bool:
    """Return whether a generator waits within ``with``, or in a ``try`` that has a ``finally``."""
    match function:
        case cst.Try(finalbody=cst.Finally()) | cst.With() if contains_yield(function):
            return True
    return any(map(cleans_up, children_of(function)))


def sees_closing(function: cst.CSTNode) -> bool:
    """Return whether a generator waits where a handler catches that it is closed."""
    match function:
        case cst.Try(body=body) if contains_yield(body) and _sees_closing(function):
            return True
    return any(map(sees_closing, children_of(function)))


def _sees_closing(node: cst.Try) -> bool:
    return any(map(_catches_closing, node.handlers))


def _catches_closing(handler: cst.ExceptHandler) -> bool:
    """Return whether a handler is for GeneratorExit, too."""
    if handler.type is None:
        return True
    names = {each.value for each in descendants(handler.type) if isinstance(each, cst.Name)}
    return not names.isdisjoint({"BaseException", "GeneratorExit"})
