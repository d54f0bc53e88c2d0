"""Generators that ask themselves for items until run-time values end it, taken as a whole.

Whoever takes all of their items, and does nothing in between, may as well get a list of them:
then the recursion is that of a function which adds to a list.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import libcst as cst

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.function_calls import call_body
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.lazy_iterators import Ended
from rewriter.evaluation.control.exceptions import exception_class
from rewriter.evaluation.control.open_iterations import tried
from rewriter.evaluation.generators.collecting_source import COLLECT, ITEMS, collecting
from rewriter.evaluation.generators.generator_stack import Statements
from rewriter.evaluation.generators.generators import Waiting
from rewriter.evaluation.host.host_typing import NoHostType, type_of
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, NumberType, ObjectType, SequenceType, TupleType
from rewriter.prelude.collecting import add_all, collect
from rewriter.source import FunctionSource
from rewriter.state import State
from rewriter.values import NONE, IteratorCell, IteratorValue, Known, ListCell, Reference, Value

_Taken = TypeVar("_Taken")


def is_recursive(frame: Frame, state: State, value: Value) -> bool:
    """Return whether an iterator is a generator's that was not asked yet, and asks itself."""
    return _source_of(frame, state, value) is not None


def is_within(frame: Frame, state: State, value: Value) -> bool:
    """Return whether such a generator is asked by its own function, which adds to a list."""
    source = _source_of(frame, state, value)
    return any(source is not None and each.source is source for each in frame.run.frames)


def taken_one_by_one(
    frame: Frame, state: State, values: Sequence[Value], take: Callable[[State], list[_Taken]]
) -> list[_Taken] | None:
    """Take all items of such generators as of any other; None where that is refused."""
    if any(is_within(frame, state, value) for value in values):
        return None
    return tried(frame, state, take)


def collected(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    iterator: IteratorValue,
    *,
    only_plain: bool = False,
) -> Outcomes:
    """Yield a list of what such a generator gives.

    ``only_plain`` refuses items that may be changed, or whose class says what is done with them,
    before the next one is asked for.
    """
    items = frame.run.allocate(state, ListCell(()))
    state.carry(items)
    for after in _add_to(frame, node, state, iterator, items):
        if only_plain and not _holds_plain(after, items):
            frame.refuse(
                "DYCL041",
                node,
                "a recursive generator gives tensors or objects to what looks at each in between",
                "make a list of them first: list(...)",
            )
        yield after, items


def _holds_plain(state: State, items: Reference) -> bool:
    """Return whether all items of a list are numbers and texts, or tuples of these."""
    try:
        listed = type_of(state, items)
    except NoHostType:
        return False
    return isinstance(listed, SequenceType) and _is_plain(listed.element)


def _is_plain(given: HostType) -> bool:
    match decided(given):
        case None | NumberType():
            return True
        case ObjectType(sample):
            return isinstance(sample, str)
        case TupleType(items):
            return all(map(_is_plain, items))
        case _:
            return False


@special(collect)
def collect_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Add what ``yield from`` gives: of the same kind of generator by a call of its function."""
    items, asked = positional
    assert isinstance(items, Reference)
    if not is_recursive(frame, state, asked):
        yield from call_value(frame, node, state, Known(add_all), positional, keywords)
        return
    assert isinstance(asked, IteratorValue)
    for after in _add_to(frame, node, state, asked, items):
        yield after, NONE


def _add_to(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, items: Reference
) -> list[State]:
    run = frame.run
    waiting = state.cell(Reference(iterator.identity), IteratorCell).source
    source = _source_of(frame, state, iterator)
    assert isinstance(waiting, Waiting)
    assert source is not None
    if len(run.frames) > run.options.most_inlined_calls:
        raise RefusedForGood(
            Diagnostic(
                code="DYCL023",
                message=f"calls are nested deeper than {run.options.most_inlined_calls}",
                origin=frame.origin(node),
                help="recursion must end at a depth known at compile time",
            )
        )
    asked = run.lexical[waiting.identity]
    callee = Frame(
        run=run,
        identity=run.new_identity(),
        source=source,
        lexical=asked.lexical,
        globals=asked.globals,
        closure=asked.closure,
        inlined_at=frame.sites(node),
        owner=asked.owner,
        receiver=asked.receiver,
    )
    run.lexical[callee.identity] = callee
    run.update(state, Reference(iterator.identity), IteratorCell((), Ended(waiting.is_library)))
    given = {**state.frames[waiting.identity], ITEMS: items, COLLECT: Known(collect)}
    del state.frames[waiting.identity]
    raised = len(run.sinks[-1])
    ended = [after for after, _ in call_body(frame, node, callee, state, given)]
    for error in run.sinks[-1][raised:]:
        if issubclass(exception_class(error.state, error.exception), StopIteration):
            frame.refuse("DYCL041", node, "a StopIteration may leave a recursive generator")
    return ended


def _source_of(frame: Frame, state: State, value: Value) -> FunctionSource | None:
    if not isinstance(value, IteratorValue):
        return None
    source = state.cell(Reference(value.identity), IteratorCell).source
    if not isinstance(source, Waiting) or source.is_managed:
        return None
    match source.stack:
        case (Statements(index=0),):
            return collecting(frame.run.lexical[source.identity].source)
        case _:
            return None
