"""``with``: the context managers that change nothing here, and those of the user's."""

import contextlib
from functools import partial

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.cleanups import after_body, cleaning_up, exit_method
from rewriter.evaluation.control.exceptions import (
    catching,
    exception_class,
    moved,
)
from rewriter.evaluation.control.generated_managers import generator_of, run_generated
from rewriter.evaluation.control.guarding import guarding
from rewriter.evaluation.control.looking_at_errors import tells_kinds_apart
from rewriter.evaluation.control.neutral_managers import given_by, in_force, is_neutral
from rewriter.evaluation.control.passed_errors import Kinds
from rewriter.evaluation.control.stacked_managers import may_swallow, methods_of_manager
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.control.tracebacks import told_of
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.on_the_way import carry_result
from rewriter.state import Completion, Next, Raised, State
from rewriter.values import Known, Reference, Value

# --- with --------------------------------------------------------------------------------------


@statement_rule(cst.With)
def with_(frame: Frame, node: cst.With, state: State) -> list[Completion]:
    """``with manager as name: ...``."""
    held = frozenset(map(_held, node.items))
    with catching(frame, held):
        completions = _with_items(frame, node, list(node.items), state)
    for completion in completions:
        names = completion.state.frames.get(frame.identity, {})
        for name in held & names.keys():
            del names[name]
    return completions


def _held(item: cst.WithItem) -> str:
    """Return the name of a variable that holds a manager, or its generator, during the body."""
    return f"manager of {id(item)}"  # no name of the user's can look like this


def _with_items(
    frame: Frame, node: cst.With, items: list[cst.WithItem], state: State
) -> list[Completion]:
    if not items:
        return execute_suite(frame, node.body, state)
    first, *rest = items
    completions: list[Completion] = []
    for after, manager in evaluate(frame, first.item, state):
        if isinstance(manager, Reference):
            after.frames[frame.identity][_held(first)] = manager
        if isinstance(manager, Known) and isinstance(manager.value, contextlib.suppress):
            completions += _suppressing(frame, node, first, rest, after, manager.value)
        elif (generator := generator_of(after, manager)) is not None:
            body = partial(_entered, frame, node, first, rest)
            completions += run_generated(frame, first, after, generator, body)
        elif is_neutral(after, manager):
            with in_force(frame, after, manager):
                for given, value in given_by(frame, first, after, manager):
                    completions += _entered(frame, node, first, rest, given, value)
        else:
            completions += _managed(frame, node, first, rest, after, manager)
    return completions


def _suppressing(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    manager: contextlib.suppress,
) -> list[Completion]:
    """``with contextlib.suppress(kinds)``: the body up to an exception of these kinds."""
    kinds: tuple[type[BaseException], ...] = vars(manager)["_exceptions"]
    with guarding(frame, [kinds], looked=[]):
        completions = _entered(frame, node, item, rest, state, Known(None))
    return [
        Next(c.state)
        if isinstance(c, Raised) and issubclass(exception_class(c.state, c.exception), kinds)
        else c
        for c in completions
    ]


def _entered(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    value: Value,
) -> list[Completion]:
    """Bind the name, and go on with the other managers as with a statement of their own.

    What they raise before the body begins, this manager sees as well.
    """
    sink: list[Raised] = []
    frame.run.sinks.append(sink)
    try:
        states = [state]
        if item.asname is not None:
            states = assign(frame, item.asname.name, state, value)
        completions = [c for entered in states for c in _with_items(frame, node, rest, entered)]
    finally:
        frame.run.sinks.pop()
    return [*completions, *(Raised(r.state, r.exception, r.node or node) for r in sink)]


def _managed(
    frame: Frame,
    node: cst.With,
    item: cst.WithItem,
    rest: list[cst.WithItem],
    state: State,
    manager: Value,
) -> list[Completion]:
    """Run a user's context manager: ``__enter__``, the body, ``__exit__`` on every way out."""
    enter, leave = methods_of_manager(frame, item, state, manager)
    finished: list[Completion] = []
    for after, value in call_value(frame, item, state, enter, [], {}):
        announced = frame.run.risks.announced
        with contextlib.ExitStack() as around:
            blind = tells_kinds_apart(after, leave)
            if may_swallow(after, leave):
                around.enter_context(guarding(frame, [(BaseException,)], blind=blind))
            else:
                seen: list[Kinds] = [] if blind else [(BaseException,)]
                around.enter_context(guarding(frame, [], looked=seen))
                ending = exit_method(frame, item, leave)
                around.enter_context(cleaning_up(frame, item, ending))
            completions = _entered(frame, node, item, rest, after, value)
        after_body(frame, item, completions, announced)
        for completion in completions:
            carry_result(completion)
            arguments: list[Value] = [Known(None)] * 3
            if isinstance(completion, Raised):
                raised_class = exception_class(completion.state, completion.exception)
                arguments = told_of(raised_class, completion.exception)
            for done, result in call_value(frame, item, completion.state, leave, arguments, {}):
                if not isinstance(completion, Raised):
                    finished.append(moved(completion, done))
                    continue
                for tested, swallowed in truths(frame, item, done, result):
                    finished.append(
                        Next(tested) if swallowed else Raised(tested, completion.exception)
                    )
    return finished
