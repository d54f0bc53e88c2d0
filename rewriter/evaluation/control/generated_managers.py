"""``@contextlib.contextmanager``: a generator whose halves run around the body of ``with``."""

import contextlib
import types
from collections.abc import Callable, Iterator
from functools import partial

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.inlining import started_closed
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.control.cleanups import after_body, cleaning_up, passing
from rewriter.evaluation.control.exceptions import (
    caught_by,
    exception_class,
    looked_at,
    moved,
)
from rewriter.evaluation.control.guarding import guarding
from rewriter.evaluation.control.neutral_managers import in_force, is_neutral
from rewriter.evaluation.generators.generator_stack import (
    Concluding,
    Managed,
    Protected,
    Stack,
    Step,
    Yielded,
    manager_of,
)
from rewriter.evaluation.generators.generators import Waiting, closes_late, resume, settle
from rewriter.evaluation.generators.managers_around import ended_by
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.on_the_way import carry_result
from rewriter.state import Completion, Next, Raised, Returned, State
from rewriter.values import (
    FunctionValue,
    IteratorCell,
    IteratorValue,
    Known,
    MethodValue,
    ObjectCell,
    Reference,
    Value,
)

_MANAGER = contextlib._GeneratorContextManager
_HELPER_FILE = contextlib.contextmanager.__code__.co_filename

Body = Callable[[State, Value], list[Completion]]
"""Executes the body of ``with`` with what the manager gives."""


def manager_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of a function under ``@contextmanager``, None for other objects."""
    if not isinstance(content, types.FunctionType) or content.__code__.co_name != "helper":
        return None
    wrapped = getattr(content, "__wrapped__", None)
    if content.__code__.co_filename != _HELPER_FILE or not isinstance(wrapped, types.FunctionType):
        return None

    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        return make_manager(frame, node, state, [Known(wrapped), *positional], keywords)

    return rule


@special(contextlib.contextmanager)
def contextmanager_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``@contextmanager`` over a function that is defined in the call."""
    del keywords
    (function,) = positional
    if isinstance(function, Known) or not isinstance(function, FunctionValue):
        frame.refuse("DYCL064", node, "contextmanager() of this object")
    yield state, MethodValue(function, Known(_make))


def _make() -> None:
    """Stand for the call of a function under ``@contextmanager``."""


@special(_make)
def make_manager(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call the generator function; its iterator is the manager."""
    function, *arguments = positional
    with started_closed(frame.run):
        outcomes = list(call_value(frame, node, state, function, arguments, keywords))
    for after, generator in outcomes:
        if not isinstance(generator, IteratorValue):
            name = (
                getattr(function.value, "__qualname__", "") if isinstance(function, Known) else ""
            )
            frame.refuse("DYCL064", node, f"the context manager {name or 'here'} is not supported")
        yield after, frame.run.allocate(after, ObjectCell(_MANAGER, {"gen": generator}))


def generator_of(state: State, manager: Value) -> IteratorValue | None:
    """Return the generator of a manager, None for other context managers."""
    cell = state.heap[manager.identity] if isinstance(manager, Reference) else None
    if not isinstance(cell, ObjectCell) or cell.kind is not _MANAGER:
        return None
    found = cell.attributes["gen"]
    return found if isinstance(found, IteratorValue) else None


def run_generated(
    frame: Frame, node: cst.CSTNode, state: State, generator: IteratorValue, body: Body
) -> list[Completion]:
    """Execute ``with``: the generator up to its ``yield``, the body, the rest of it."""
    finished: list[Completion] = []
    for step in _steps(frame, node, state, generator, None):
        match step:
            case Yielded():
                caught = caught_inside(frame.run, step.state, generator)
                announced = frame.run.risks.announced
                ending = passing(partial(_left, frame, node, generator))
                with (
                    cleaning_up(frame, node, ending),
                    guarding(frame, caught, looked=_looked_at_inside(step.state, generator, frame)),
                    set_inside(frame, step.state, generator),
                ):
                    completions = body(step.state, step.value)
                after_body(frame, node, completions, announced)
                for completion in completions:
                    finished += _left(frame, node, generator, completion)
            case Returned():
                finished += _raised(step.state, RuntimeError("generator didn't yield"))
            case Raised():
                finished.append(step)
    return finished


def enter_generated(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    generator: IteratorValue,
    guarded: Callable[[], None],
) -> Outcomes:
    """Run a generator up to its ``yield``; ``guarded`` is called where it may catch exceptions."""
    for step in _steps(frame, node, state, generator, None):
        match step:
            case Yielded():
                if caught_inside(frame.run, step.state, generator):
                    guarded()
                callee, _ = _place(frame.run, step.state, generator)
                if closes_late(callee.source.node):
                    frame.run.calls.managers.enter(step.state, generator, frame.origin(node))
                yield step.state, step.value
            case Returned():
                frame.run.raise_known(step.state, RuntimeError("generator didn't yield"))
            case Raised():
                frame.run.raise_(step.state, step.exception)


def leave_generated(
    frame: Frame, node: cst.CSTNode, state: State, generator: IteratorValue, thrown: Value | None
) -> Outcomes:
    """Run the rest of a generator; give whether it ended what is ``thrown`` into it."""
    completion = Next(state) if thrown is None else Raised(state, thrown)
    for left in _left(frame, node, generator, completion):
        frame.run.calls.managers.leave(left.state, generator)
        if not isinstance(left, Raised):
            yield left.state, Known(thrown is not None)
        elif thrown is not None and _is_same(left.exception, thrown):
            yield left.state, Known(False)
        else:
            frame.run.raise_(left.state, left.exception)


def caught_inside(
    run: Run, state: State, generator: IteratorValue
) -> list[tuple[type[BaseException], ...]]:
    """Return what is caught of the body's errors by the statements in which a generator waits."""
    callee, stack = _place(run, state, generator)
    caught: list[tuple[type[BaseException], ...]] = []
    for item in stack:
        match item:
            case Protected():
                caught += caught_by(callee, state, item.node)
            case Concluding() if item.node.finalbody is not None:
                caught.append((BaseException,))
            case Managed():
                caught += ended_by(callee, state, manager_of(callee, state, item))
    return caught


def _looked_at_inside(
    state: State, generator: IteratorValue, frame: Frame
) -> list[tuple[type[BaseException], ...]]:
    """Return those of them that clauses and managers catch, which may look at them."""
    callee, stack = _place(frame.run, state, generator)
    found: list[tuple[type[BaseException], ...]] = []
    for item in stack:
        match item:
            case Protected():
                found += looked_at(item.node, caught_by(callee, state, item.node))
            case Managed():
                found += ended_by(callee, state, manager_of(callee, state, item))
    return found


def managers_inside(run: Run, state: State, generator: IteratorValue) -> list[Value]:
    """Return the managers in which a generator waits, outermost first."""
    callee, stack = _place(run, state, generator)
    return managers_of(callee, state, stack)


def managers_of(callee: Frame, state: State, stack: Stack) -> list[Value]:
    """Return the managers that what a generator has still to do stands under."""
    found: list[Value] = []
    for item in stack:
        if isinstance(item, Managed):
            manager = manager_of(callee, state, item)
            inner = generator_of(state, manager)
            found += [manager] if inner is None else managers_inside(callee.run, state, inner)
    return found


@contextlib.contextmanager
def set_inside(frame: Frame, state: State, generator: IteratorValue) -> Iterator[None]:
    """While the body is executed, set what the managers set in which a generator waits."""
    with contextlib.ExitStack() as managers:
        for manager in managers_inside(frame.run, state, generator):
            if is_neutral(state, manager):
                managers.enter_context(in_force(frame, state, manager))
        yield


def _place(run: Run, state: State, generator: IteratorValue) -> tuple[Frame, Stack]:
    """Return the frame in which a generator waits, and where."""
    source = state.cell(Reference(generator.identity), IteratorCell).source
    assert isinstance(source, Waiting)
    return run.lexical[source.identity], source.stack


def _left(
    frame: Frame, node: cst.CSTNode, generator: IteratorValue, completion: Completion
) -> list[Completion]:
    """Go on in the generator after the body; an exception of the body is raised there."""
    thrown = completion.exception if isinstance(completion, Raised) else None
    finished: list[Completion] = []
    carry_result(completion)
    for step in _steps(frame, node, completion.state, generator, thrown):
        match step:
            case Yielded():
                _refuse_closing(frame, node, step, generator)
                after = " after throw()" if thrown is not None else ""
                error = RuntimeError(f"generator didn't stop{after}")
                finished += _raised(step.state, error)
            case Returned() if thrown is not None:
                finished.append(Next(step.state))
            case Returned():
                finished.append(moved(completion, step.state))
            case Raised():
                if issubclass(exception_class(step.state, step.exception), StopIteration):
                    frame.refuse("DYCL064", node, "StopIteration passes through this manager")
                finished.append(step)
    return finished


def _refuse_closing(
    frame: Frame, node: cst.CSTNode, step: Yielded, generator: IteratorValue
) -> None:
    """Refuse a generator that waits again under a manager: Python closes it at some time."""
    if managers_inside(frame.run, step.state, generator):
        frame.refuse("DYCL064", node, "a manager's generator waits a second time within `with`")


def _steps(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    generator: IteratorValue,
    thrown: Value | None,
) -> list[Step]:
    cell = state.cell(Reference(generator.identity), IteratorCell)
    if not isinstance(cell.source, Waiting):
        frame.refuse("DYCL064", node, "a manager is used twice, or a library's")
    steps = resume(frame.run, cell.source, state, thrown)
    for step in steps:
        settle(frame.run, generator, cell.source, step)
    return steps


def _is_same(one: Value, other: Value) -> bool:
    """Return whether two exceptions are one object."""
    if isinstance(one, Reference) and isinstance(other, Reference):
        return one.identity == other.identity
    return isinstance(one, Known) and isinstance(other, Known) and one.value is other.value


def _raised(state: State, error: BaseException) -> list[Completion]:
    return [Raised(state, Known(error))]
