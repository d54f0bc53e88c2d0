"""Context managers in which a generator waits: ``with manager: yield``.

Which a manager is decides how it is entered and left, as in ``control/context_managers.py``. What
only another generator's manager needs is imported where it is: its rules are about generators.
"""

import contextlib
from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.exceptions import exception_class, moved
from rewriter.evaluation.control.guarding import guarding
from rewriter.evaluation.control.neutral_managers import given_by, in_force, is_neutral
from rewriter.evaluation.control.tracebacks import told_of
from rewriter.evaluation.generators.generator_stack import manager_name
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.on_the_way import carry_result
from rewriter.prelude import managing
from rewriter.state import Completion, Next, Raised, State
from rewriter.values import Known, Value

_Kinds = tuple[type[BaseException], ...]


def enter_manager(frame: Frame, item: cst.WithItem, state: State, manager: Value) -> Outcomes:
    """Enter a manager, and keep it in its hidden variable; give what it gives."""
    from rewriter.evaluation.control.generated_managers import enter_generated, generator_of
    from rewriter.evaluation.control.stacked_managers import methods_of_manager

    state.frames[frame.identity][manager_name(item)] = manager
    if _suppressed(manager) is not None:
        return iter([(state, Known(None))])
    if (generator := generator_of(state, manager)) is not None:
        return enter_generated(frame, item, state, generator, lambda: None)
    if is_neutral(state, manager):
        return given_by(frame, item, state, manager)
    enter, _ = methods_of_manager(frame, item, state, manager)
    return call_value(frame, item, state, enter, [], {})


def leave_manager(frame: Frame, item: cst.WithItem, completion: Completion) -> list[Completion]:
    """Leave the manager of a suite that ends in some way; return how that goes on."""
    state = completion.state
    manager = state.frames[frame.identity].pop(manager_name(item))
    given: list[Value] = [manager, Known(None), Known(None), Known(None)]
    if isinstance(completion, Raised):
        kind = exception_class(state, completion.exception)
        given = [manager, *told_of(kind, completion.exception)]
    carry_result(completion)
    sink: list[Raised] = []
    frame.run.sinks.append(sink)
    finished: list[Completion] = []
    try:
        for after, ended in call_value(frame, item, state, Known(managing.leave), given, {}):
            if not isinstance(completion, Raised):
                finished.append(moved(completion, after))
                continue
            for tested, swallowed in truths(frame, item, after, ended):
                finished.append(Next(tested) if swallowed else moved(completion, tested))
    finally:
        frame.run.sinks.pop()
    return [*finished, *sink]


@contextlib.contextmanager
def managed_by(frame: Frame, state: State, manager: Value) -> Iterator[None]:
    """While what stands under a manager is executed, say what it ends, and set what it sets."""
    with guarding(frame, ended_by(frame, state, manager)), _set_by(frame, state, manager):
        yield


def ended_by(frame: Frame, state: State, manager: Value) -> list[_Kinds]:
    """Return which exceptions of what stands under a manager it may end."""
    from rewriter.evaluation.control.generated_managers import caught_inside, generator_of
    from rewriter.evaluation.control.stacked_managers import may_swallow, methods_of_manager

    if (kinds := _suppressed(manager)) is not None:
        return [kinds]
    if (generator := generator_of(state, manager)) is not None:
        return caught_inside(frame.run, state, generator)
    if is_neutral(state, manager):
        return []
    _, leave = methods_of_manager(frame, frame.source.node, state, manager)
    return [(BaseException,)] if may_swallow(state, leave) else []


@contextlib.contextmanager
def _set_by(frame: Frame, state: State, manager: Value) -> Iterator[None]:
    """While what stands under a manager is executed, set what it sets: no gradients, ..."""
    from rewriter.evaluation.control.generated_managers import generator_of, set_inside

    generator = generator_of(state, manager)
    if generator is not None:
        with set_inside(frame, state, generator):
            yield
    elif is_neutral(state, manager):
        with in_force(frame, state, manager):
            yield
    else:
        yield


def _suppressed(manager: Value) -> _Kinds | None:
    """Return what ``contextlib.suppress`` ends, None for other managers."""
    if not isinstance(manager, Known) or not isinstance(manager.value, contextlib.suppress):
        return None
    kinds: _Kinds = vars(manager.value)["_exceptions"]
    return kinds
