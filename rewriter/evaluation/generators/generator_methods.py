"""Methods of generators: ``send()``, ``throw()`` and ``close()``, and how they tell their end."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.lazy_iterators import (
    GENERATOR_METHODS,
    ends_at_run_time,
    next_item,
    raise_end,
    result_of,
)
from rewriter.evaluation.control.exceptions import (
    exception_class,
    is_exception,
    is_exception_class,
)
from rewriter.evaluation.generators.generator_stack import (
    Delegating,
    Statements,
    Step,
    Yielded,
)
from rewriter.evaluation.generators.generators import Waiting, leaving, resume, settle
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import Raised, Returned, State
from rewriter.values import NONE, IteratorCell, IteratorValue, Known, Reference, Value, is_none


@special(GENERATOR_METHODS["__next__"])
def next_method(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``generator.__next__()``."""
    generator, _ = _receiver(frame, node, state, positional, keywords, 0)
    return _next(frame, node, state, generator)


@special(GENERATOR_METHODS["send"])
def send(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``generator.send(value)``: what the ``yield`` gives that it waits at."""
    generator, (sent,) = _receiver(frame, node, state, positional, keywords, 1)
    source = _waiting(state, generator)
    if source is None or is_none(sent):
        yield from _next(frame, node, state, generator)
        return
    if _is_fresh(source):
        error = TypeError("can't send non-None value to a just-started generator")
        frame.run.raise_known(state, error)
        return
    yield from _ended(frame.run, generator, source, resume(frame.run, source, state, sent=sent))


@special(GENERATOR_METHODS["throw"])
def throw(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``generator.throw(exception)``: raised at the ``yield`` that it waits at."""
    generator, (given,) = _receiver(frame, node, state, positional, keywords, 1)
    outcomes: Outcomes = iter([(state, given)])
    if is_exception_class(given):
        outcomes = call_value(frame, node, state, given, [], {})
    for after, thrown in outcomes:
        if not is_exception(after, thrown):
            _refuse_thrown(frame, node, after, thrown)
            continue
        source = _waiting(after, generator)
        if source is None:
            frame.run.raise_(after, thrown)
            continue
        _refuse_inner(frame, node, source, "throw")
        steps = resume(frame.run, source, after, thrown)
        yield from _ended(frame.run, generator, source, steps)


def _refuse_thrown(frame: Frame, node: cst.CSTNode, state: State, thrown: Value) -> None:
    """Raise what ``throw()`` of something that is no exception raises; the generator stays."""
    known = known_object(state, thrown)
    if known is None:
        frame.refuse("DYCL039", node, "something that is no exception is thrown into a generator")
    found = type(known.value).__name__
    text = f"exceptions must be classes or instances deriving from BaseException, not {found}"
    frame.run.raise_known(state, TypeError(text))


@special(GENERATOR_METHODS["close"])
def close(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``generator.close()``: ``GeneratorExit`` at the ``yield``, which must not be caught."""
    generator, _ = _receiver(frame, node, state, positional, keywords, 0)
    source = _waiting(state, generator)
    if source is None:
        yield state, NONE
        return
    _refuse_inner(frame, node, source, "close")
    for step in resume(frame.run, source, state, Known(GeneratorExit())):
        settle(frame.run, generator, source, step)
        match step:
            case Yielded():
                error = RuntimeError("generator ignored GeneratorExit")
                frame.run.raise_known(step.state, error)
            case Raised() if not _is_exit(step):
                frame.run.raise_(step.state, leaving(frame.run, step))
            case _:
                yield step.state, NONE


def _is_exit(step: Raised) -> bool:
    return issubclass(exception_class(step.state, step.exception), GeneratorExit)


def _receiver(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: Positional,
    keywords: Keywords,
    count: int,
) -> tuple[IteratorValue, list[Value]]:
    """Return the generator and the arguments; refuse what these methods do not take here."""
    generator, *rest = positional
    assert isinstance(generator, IteratorValue)
    if keywords or len(rest) != count:
        frame.refuse("DYCL039", node, "a generator's method with other arguments")
    if ends_at_run_time(state, generator):
        frame.refuse(
            "DYCL041", node, "a method of a generator in a loop that ends at run time",
            "walk over it in a for loop",
        )  # fmt: skip
    return generator, rest


def _next(frame: Frame, node: cst.CSTNode, state: State, generator: IteratorValue) -> Outcomes:
    for after, item in next_item(frame, node, state, generator):
        if item is None:
            raise_end(frame.run, after, result_of(after, generator))
        else:
            yield after, item


def _ended(run: Run, generator: IteratorValue, source: Waiting, steps: list[Step]) -> Outcomes:
    for step in steps:
        settle(run, generator, source, step)
        match step:
            case Yielded():
                yield step.state, step.value
            case Returned():
                raise_end(run, step.state, step.value)
            case Raised():
                run.raise_(step.state, leaving(run, step))


def _waiting(state: State, generator: IteratorValue) -> Waiting | None:
    source = state.cell(Reference(generator.identity), IteratorCell).source
    return source if isinstance(source, Waiting) else None


def _is_fresh(source: Waiting) -> bool:
    """Return whether no statement was executed: no generator waits before its first otherwise."""
    return (
        len(source.stack) == 1
        and isinstance(source.stack[0], Statements)
        and (source.stack[0].index == 0)
    )


def _refuse_inner(frame: Frame, node: cst.CSTNode, source: Waiting, name: str) -> None:
    if isinstance(source.stack[-1] if source.stack else None, Delegating):
        frame.refuse("DYCL039", node, f"{name}() reaches a generator that waits in `yield from`")
