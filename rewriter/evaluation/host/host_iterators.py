"""Walks over dicts, sets and deques of the host: Python's own iterators, on the host.

So what happens when the container changes inside of the walk is what happens in the
original. Only where the content of a hash table is another one than the original's, since the
container began with a known structure, Python could go on in another order: refused.
"""

import ast
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.containers.lazy_iterators import Items, lazy_iterator
from rewriter.evaluation.control.container_changes import walks_over
from rewriter.evaluation.control.disturbed_walks import refuse_disturbed
from rewriter.evaluation.control.known_walks import Kind, Walk
from rewriter.evaluation.host.attempting import attempt_call
from rewriter.evaluation.host.host_statements import host_effect, host_scalar, host_value
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import element_type, view_type
from rewriter.evaluation.run_time.run_time_objects import taken
from rewriter.host_type_properties import holds
from rewriter.host_type_relations import TypeToken, decided
from rewriter.host_types import (
    Decided,
    HandleType,
    HostType,
    MappingType,
    NumberType,
    ObjectType,
    SequenceType,
    SetType,
)
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    HostValue,
    IteratorCell,
    IteratorValue,
    ListCell,
    Reference,
    RunTimeCell,
    SetCell,
    Value,
    ViewValue,
)


@dataclass(frozen=True, slots=True)
class HostWalk:
    """Asks an iterator of the host for the next item. It works with that, and the container."""

    element: TypeToken
    by_size: bool
    """Whether Python looks at the size of the container only, and not for other changes."""
    disturbed: bool = False
    """Whether the container may have lost an item since the last step."""
    captured: tuple[int, ...] = ()

    def is_run_time(self, state: State, items: tuple[Value, ...]) -> bool:
        """Return True."""
        del state, items
        return True

    def advance(
        self, frame: Frame, node: cst.CSTNode, state: State, iterator: IteratorValue
    ) -> Items:
        """Take an item, if there is one; Python raises where the container changed."""
        refuse_disturbed(frame, node, self.by_size and self.disturbed)
        run, origin = frame.run, frame.origin(node)
        walked, _ = state.cell(Reference(iterator.identity), IteratorCell).items
        assert isinstance(walked, HostValue)
        name = name_expression(walked.name)
        first = call_expression(_function(frame, zip), [_tuple(ast.Constant(value=0)), name])
        listed: ast.expr = call_expression(_function(frame, list), [first])
        caught = run.guarded + run.guarded_tensors > 0
        if caught:
            called = [_function(frame, list), first]
            listed = attempt_call(run, state, called, (RuntimeError,), origin)
        found = host_value(run, state, listed, [], origin, effect=True, may_raise=not caught)
        size = call_expression(_function(frame, len), [name_expression(found.name)])
        number = host_scalar(run, state, size, int, origin)
        for arm, given in truths(frame, node, state, number):
            if given:
                pair = _part(name_expression(found.name), 0)
                item = _part(pair, 1)
                yield from taken(frame, node, arm, item, self.element.type, may_raise=False)
            else:
                yield arm, None


def host_walk(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, part: str,
    *, back: bool = False,
) -> IteratorValue:  # fmt: skip
    """Return an iterator over a dict, set or deque that exists at run time only."""
    cell = state.cell(reference, RunTimeCell)
    walked: ast.expr = name_expression(cell.name)
    if part != "keys":
        walked = call_expression(ast.Attribute(value=walked, attr=part, ctx=ast.Load()), [])
    made = call_expression(_function(frame, reversed if back else iter), [walked])
    origin = frame.origin(node)
    found = host_value(frame.run, state, made, iter([]), origin, effect=True, may_raise=False)
    source = HostWalk(TypeToken(_element(cell, part)), _by_size(cell))
    return lazy_iterator(frame.run, state, (found, reference), source)


def _element(cell: RunTimeCell, part: str) -> HostType:
    given = view_type(cell.type, part) if isinstance(cell.type, MappingType) else None
    element = element_type(cell.type) if given is None else given
    assert element is not None
    return element


def _by_size(cell: RunTimeCell) -> bool:
    return cell.kind is not deque and not issubclass(cell.kind, OrderedDict)


def is_walked_alike(given: SetType) -> bool:
    """Return whether a set is walked in the same order in every process, and on the host."""
    return given.ordered and isinstance(decided(given.element), NumberType)


def refuse_walk(frame: Frame, node: cst.CSTNode) -> NoReturn:
    """Refuse to walk a set."""
    frame.refuse(
        "DYCL051", node, "a set is walked in an order that may differ from run to run",
        "use sorted(...)",
    )  # fmt: skip


def refuse_any_order(frame: Frame, node: cst.CSTNode, given: HostType) -> None:
    """Refuse what would have the order of a set that goes by addresses, or by hashes of texts.

    So is that of a set which came about in another way on the host.
    """
    if isinstance(given, SetType) and not (
        given.ordered and not holds(given.element, _is_anywhere)
    ):
        refuse_walk(frame, node)


def _is_anywhere(part: Decided) -> bool:
    return isinstance(part, HandleType | ObjectType)


def hand_over_walks(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, old: Cell
) -> None:
    """Let walks over a container that has just become one of the host's go on there.

    Those that Python would not go on with are left alone: the next step refuses them.
    """
    for place in walks_over(state, reference.identity):
        cell = state.heap[place]
        assert isinstance(cell, IteratorCell)
        if isinstance(cell.source, Walk) and _goes_on(state, reference, cell.source, old):
            state.heap[place] = _handed_over(frame, node, state, reference, cell)


def _goes_on(state: State, reference: Reference, walk: Walk, old: Cell) -> bool:
    given = state.cell(reference, RunTimeCell).type
    match walk.kind, old, given:
        case Kind.DEQUE, ListCell(), SequenceType():
            return not walk.disturbed
        case Kind.ORDERED, DictCell(), MappingType():
            return not walk.disturbed and walk.follows
        case Kind.DICT, DictCell(), MappingType():
            return not walk.disturbed and len(old.items) == walk.size
        case Kind.SET, SetCell(), SetType():
            alike = is_walked_alike(given)
            return alike and not walk.disturbed and len(old.items) == walk.size
        case _:
            return False


def _handed_over(
    frame: Frame, node: cst.CSTNode, state: State, reference: Reference, cell: IteratorCell
) -> IteratorCell:
    """Return the content of an iterator that is one of the host's, at the same place."""
    walk, walked = cell.source, cell.items[0]
    assert isinstance(walk, Walk)
    part = walked.part if isinstance(walked, ViewValue) else "keys"
    made = host_walk(frame, node, state, reference, part, back=walk.step < 0)
    found = state.heap[made.identity]
    assert isinstance(found, IteratorCell)
    iterator = found.items[0]
    assert isinstance(iterator, HostValue)
    if walk.taken:
        numbers = call_expression(_function(frame, range), [ast.Constant(value=walk.taken)])
        skipped = call_expression(_function(frame, zip), [numbers, name_expression(iterator.name)])
        listed = call_expression(_function(frame, list), [skipped])
        host_effect(frame.run, state, listed, frame.origin(node), may_raise=False)
    return found


def _function(frame: Frame, function: object) -> ast.expr:
    return frame.run.builder.reference(function, getattr(function, "__name__", None))


def _part(whole: ast.expr, position: int) -> ast.expr:
    return ast.Subscript(value=whole, slice=ast.Constant(value=position), ctx=ast.Load())


def _tuple(item: ast.expr) -> ast.expr:
    return ast.Tuple(elts=[item], ctx=ast.Load())
