"""Generators that ask themselves for items until run-time values end it, taken as a whole.

Whoever takes all of their items, and does nothing in between, may as well get a list of them:
then the recursion is that of a function which adds to a list.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.function_calls import call_body
from rewriter.evaluation.calls.inlining import require_depth
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.lazy_iterators import (
    Ended,
    GeneratorSource,
    Items,
    put_cell,
)
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
from rewriter.prelude.collecting import add_all, call_with_all, collect, hand_over
from rewriter.source import FunctionSource
from rewriter.state import State
from rewriter.values import NONE, IteratorCell, IteratorValue, Known, ListCell, Reference, Value

_Taken = TypeVar("_Taken")


@dataclass(frozen=True, slots=True)
class HandedOver(GeneratorSource):
    """The source of a generator whose items are handed to a function, until it has ended.

    The function may raise, and leave it where it waits: nobody can ask it for more then.
    """

    is_library: bool = False

    @property
    def captured(self) -> tuple[int, ...]:
        """Nothing is read."""
        return ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return that nobody knows when it ends, so that its methods are refused, too."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Refuse."""
        del state, iterator
        frame.refuse(
            "DYCL041",
            node,
            "a recursive generator is asked for items that a loop over it, or an error, has left",
            "make a list of its items first: list(...)",
        )

    def send(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, sent: Value
    ) -> Items:
        """Refuse, too."""
        del sent
        return self.advance(frame, node, state, iterator)


def is_recursive(frame: Frame, state: State, value: Value) -> bool:
    """Return whether an iterator is a generator's that was not asked yet, and asks itself."""
    return _source_of(frame, state, value) is not None


def is_within(frame: Frame, state: State, value: Value) -> bool:
    """Return whether such a generator is asked by its own function, which adds to a list."""
    sources = [_source_of(frame, state, value, calls=calls) for calls in (False, True)]
    return any(each is not None and is_evaluated(frame, each) for each in sources)


def is_evaluated(frame: Frame, source: FunctionSource) -> bool:
    """Return whether a function is being evaluated."""
    return any(each.source is source for each in frame.run.frames)


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
    """Yield a list of what a generator gives, such a one or another.

    ``only_plain`` refuses items that may be changed, or whose class says what is done with them,
    before the next one is asked for.
    """
    items = frame.run.allocate(state, ListCell(()))
    state.carry(items)
    for after, _ in collect_(frame, node, state, [items, iterator], {}):
        if only_plain and not _holds_plain(after, items):
            frame.refuse(
                "DYCL041",
                node,
                "a generator gives tensors or objects to what looks at each in between",
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


def is_plain_value(state: State, value: Value) -> bool:
    """Return whether a value is a number or a text, or a tuple of these."""
    try:
        return _is_plain(type_of(state, value))
    except NoHostType:
        return False


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


@special(hand_over)
def hand_over_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call a function with each item: of the same kind of generator by a call of its function."""
    function, asked = positional
    if not is_recursive(frame, state, asked):
        yield from call_value(frame, node, state, Known(call_with_all), positional, keywords)
        return
    assert isinstance(asked, IteratorValue)
    for after in _add_to(frame, node, state, asked, function):
        yield after, NONE


def _add_to(
    frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue, items: Value
) -> list[State]:
    """Run a generator that adds its items to a list, or calls a function with them."""
    run = frame.run
    calls = not isinstance(items, Reference)
    waiting = state.cell(Reference(iterator.identity), IteratorCell).source
    source = _source_of(frame, state, iterator, calls=calls)
    assert isinstance(waiting, Waiting)
    assert source is not None
    require_depth(frame, node)
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
    ended, handed = Ended(waiting.is_library), HandedOver(waiting.is_library)
    put_cell(run, state, iterator, IteratorCell((), handed if calls else ended))
    goes_on = hand_over if calls else collect
    given = {**state.frames[waiting.identity], ITEMS: items, COLLECT: Known(goes_on)}
    del state.frames[waiting.identity]
    raised = len(run.sinks[-1])
    finished = [after for after, _ in call_body(frame, node, callee, state, given)]
    for error in run.sinks[-1][raised:]:
        if issubclass(exception_class(error.state, error.exception), StopIteration):
            run.calls.unstoppable = run.calls.unstoppable or _stopped(frame, node)
            raise RefusedForGood(run.calls.unstoppable)
    for after in finished if calls else ():
        if iterator.identity in after.heap:
            put_cell(run, after, iterator, IteratorCell((), ended))
    return finished


def _stopped(frame: Frame, node: cst.CSTNode) -> Diagnostic:
    return Diagnostic(
        code="DYCL041",
        message="a StopIteration may leave a recursive generator, or the body of a loop over it",
        origin=frame.origin(node),
        help="Python makes a RuntimeError of one that leaves a generator: end it with return",
    )


def _source_of(
    frame: Frame, state: State, value: Value, *, calls: bool = False
) -> FunctionSource | None:
    if not isinstance(value, IteratorValue):
        return None
    source = state.cell(Reference(value.identity), IteratorCell).source
    if not isinstance(source, Waiting) or source.is_managed:
        return None
    match source.stack:
        case (Statements(index=0),):
            return collecting(frame.run.lexical[source.identity].source, calls=calls)
        case _:
            return None
