"""Exceptions: ``raise``, ``assert``, ``try``; and ``with``."""

import contextlib
import functools
from collections.abc import Iterator

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.cleanups import after_body, clause, cleaning_up
from rewriter.evaluation.control.guarding import guarding
from rewriter.evaluation.control.passed_errors import Kinds, ending, looks_at_error
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.error_texts import wording_error
from rewriter.on_the_way import carry_result
from rewriter.scope import names_read
from rewriter.state import Completion, Next, Raised, Returned, State
from rewriter.values import Known, ObjectCell, Reference, Value, is_none


def exception_class(state: State, exception: Value) -> type[BaseException]:
    """Return the class of an exception on its way."""
    if isinstance(exception, Reference):
        cell = state.heap[exception.identity]
        if isinstance(cell, ObjectCell) and issubclass(cell.kind, BaseException):
            return cell.kind
    if isinstance(exception, Known) and isinstance(exception.value, BaseException):
        return type(exception.value)
    return TypeError


@statement_rule(cst.Raise)
def raise_(frame: Frame, node: cst.Raise, state: State) -> list[Completion]:
    """``raise exception``."""
    if node.exc is None:
        if not state.handled:
            return [Raised(state, Known(RuntimeError("No active exception to reraise")))]
        return [Raised(state, state.handled[-1])]
    completions: list[Completion] = []
    with wording_error(frame):
        exceptions = list(evaluate(frame, node.exc, state))
    completions += [
        Raised(caused, instance, node)
        for done, instance in _made(frame, node, iter(exceptions))
        for caused in _with_cause(frame, node, done, instance)
    ]
    return completions


def _made(frame: Frame, node: cst.Raise, exceptions: Outcomes) -> Outcomes:
    """Make instances where classes are raised; of what is no exception, the error that it is."""
    for after, exception in exceptions:
        if is_exception_class(exception):
            yield from call_value(frame, node, after, exception, [], {})
        elif is_exception(after, exception):
            yield after, exception
        else:
            yield after, Known(TypeError("exceptions must derive from BaseException"))


def _with_cause(frame: Frame, node: cst.Raise, state: State, instance: Value) -> Iterator[State]:
    """Set ``__cause__`` for ``raise exception from cause``."""
    if node.cause is None or not isinstance(instance, Reference):
        yield state
        return
    for after, given in evaluate(frame, node.cause.item, state):
        if not (is_none(given) or is_exception_class(given) or is_exception(after, given)):
            error = TypeError("exception causes must derive from BaseException")
            frame.run.raise_known(after, error)
            continue
        causes = [(after, given)] if is_none(given) else _made(frame, node, iter([(after, given)]))
        for done, cause in causes:
            cell = done.cell(instance, ObjectCell)
            attributes = {**cell.attributes, "__cause__": cause}
            frame.run.update(done, instance, ObjectCell(cell.kind, attributes))
            yield done


def is_exception_class(value: Value) -> bool:
    """Return whether a value is a class of exceptions."""
    kind = value.value if isinstance(value, Known) else None
    return isinstance(kind, type) and issubclass(kind, BaseException)


def is_exception(state: State, value: Value) -> bool:
    """Return whether a value is an exception."""
    if isinstance(value, Known):
        return isinstance(value.value, BaseException)
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    return isinstance(cell, ObjectCell) and issubclass(cell.kind, BaseException)


@statement_rule(cst.Assert)
def assert_(frame: Frame, node: cst.Assert, state: State) -> list[Completion]:
    """``assert test, message``."""
    completions: list[Completion] = []
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            if truth:
                completions.append(Next(arm))
                continue
            messages: list[tuple[State, list[Value]]] = [(arm, [])]
            if node.msg is not None:
                with wording_error(frame):
                    messages = [(d, [message]) for d, message in evaluate(frame, node.msg, arm)]
            for done, arguments in messages:
                made = call_value(frame, node, done, Known(AssertionError), list(arguments), {})
                completions += [Raised(end, error, node) for end, error in made]
    return completions


@statement_rule(cst.Try)
def try_(frame: Frame, node: cst.Try, state: State) -> list[Completion]:
    """``try: ... except ...: ... else: ... finally: ...``."""
    if node.finalbody is None:
        with catching(frame, names_read(node)):
            return _protected(frame, node, state)
    announced = frame.run.risks.announced
    ending = clause(frame, node.finalbody)
    with cleaning_up(frame, node, ending), catching(frame, names_read(node)):
        completions = _protected(frame, node, state)
    after_body(frame, node, completions, announced)
    finished: list[Completion] = []
    for completion in completions:
        carry_result(completion)
        for ended in execute_suite(frame, node.finalbody.body, completion.state):
            match ended:
                case Next():
                    finished.append(moved(completion, ended.state))
                case _:
                    finished.append(ended)
    return finished


@contextlib.contextmanager
def catching(frame: Frame, names: frozenset[str]) -> Iterator[None]:
    """Keep alive what may be read once an exception is caught: ``names``, and what follows."""
    later = frame.continuations[-1] if frame.continuations else frozenset()
    outside = frame.caught
    frame.caught |= later | names
    frame.continuations.append(frame.caught)
    frame.run.catching.append(frame)
    try:
        yield
    finally:
        frame.run.catching.pop()
        frame.continuations.pop()
        frame.caught = outside


def moved(completion: Completion, state: State) -> Completion:
    """Return the same completion from another state."""
    match completion:
        case Raised():
            return Raised(state, completion.exception, completion.node)
        case Returned():
            return Returned(state, completion.value, completion.node)
        case _:
            return type(completion)(state)


def _protected(frame: Frame, node: cst.Try, state: State) -> list[Completion]:
    finished: list[Completion] = []
    caught = caught_by(frame, state, node)
    seen = looked_at(node, caught)
    with guarding(frame, caught, *ending(frame, state, node, caught), blind=not seen, looked=seen):
        completions = execute_suite(frame, node.body, state)
    for completion in completions:
        match completion:
            case Raised():
                finished += handled(frame, node, completion)
            case Next() if node.orelse is not None:
                finished += execute_suite(frame, node.orelse.body, completion.state)
            case _:
                finished.append(completion)
    return finished


def looked_at(node: cst.Try, caught: list[Kinds]) -> list[Kinds]:
    """Return those of what the clauses of a ``try`` statement catch that they may look at."""
    pairs = zip(node.handlers, caught, strict=False)
    return [kinds for handler, kinds in pairs if looks_at_error(handler)]


def caught_by(frame: Frame, state: State, node: cst.Try) -> list[Kinds]:
    """Return what each clause of a ``try`` statement catches of its body's exceptions."""
    caught = [_caught(frame, state, handler) for handler in node.handlers]
    return caught + ([(BaseException,)] if _leaves(node.finalbody) else [])


def _caught(frame: Frame, state: State, handler: cst.ExceptHandler) -> Kinds:
    """Return the classes that a handler catches; all where they are not known, or no classes."""
    if handler.type is None:
        return (BaseException,)
    outcomes = list(evaluate(frame, handler.type, state))
    known = known_object(*outcomes[0]) if len(outcomes) == 1 else None
    if known is None:
        return (BaseException,)
    kinds = known.value if isinstance(known.value, tuple) else (known.value,)
    are_classes = all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds)
    return kinds if are_classes else (BaseException,)


@functools.lru_cache(maxsize=1024)
def _leaves(clause: cst.Finally | None) -> bool:
    """Return whether a ``finally`` clause may end the exception that passes through it."""
    return clause is not None and any(
        isinstance(node, cst.Return | cst.Break | cst.Continue) for node in descendants(clause)
    )


def handled(frame: Frame, node: cst.Try, raised: Raised) -> list[Completion]:
    """Return how a handler ends that catches an exception; the exception where none does."""
    handler = handler_for(frame, node, raised)
    if handler is None:
        return [raised]
    begin_handling(frame, handler, raised)
    completions = execute_suite(frame, handler.body, raised.state)
    for completion in completions:
        end_handling(frame, handler, completion.state)
    return completions


def handler_for(frame: Frame, node: cst.Try, raised: Raised) -> cst.ExceptHandler | None:
    """Return the handler of a ``try`` statement that catches an exception, None where none does."""
    kind, state = exception_class(raised.state, raised.exception), raised.state
    for handler in node.handlers:
        if handler.type is None:
            return handler
        outcomes = list(evaluate(frame, handler.type, state))
        known = known_object(outcomes[0][0], outcomes[0][1]) if len(outcomes) == 1 else None
        if known is None:
            frame.refuse("DYCL063", handler, "the class to catch is known only at run time")
        kinds = known.value if isinstance(known.value, tuple) else (known.value,)
        if not all(isinstance(one, type) and issubclass(one, BaseException) for one in kinds):
            frame.refuse("DYCL063", handler, "what is caught here is no class of exceptions")
        if issubclass(kind, kinds):
            return handler
    return None


def begin_handling(frame: Frame, handler: cst.ExceptHandler, raised: Raised) -> None:
    """Bind the exception that a handler has caught, and let ``raise`` raise it again."""
    if (name := _bound_name(handler)) is not None:
        raised.state.frames[frame.identity][name] = raised.exception
    raised.state.handled = (*raised.state.handled, raised.exception)


def end_handling(frame: Frame, handler: cst.ExceptHandler, state: State) -> None:
    """Forget the exception at the end of its handler."""
    state.handled = state.handled[:-1]
    if (name := _bound_name(handler)) is not None:
        state.frames[frame.identity].pop(name, None)


def _bound_name(handler: cst.ExceptHandler) -> str | None:
    return handler.name.name.value if handler.name is not None else None  # type: ignore[union-attr]
