"""Instances of users' classes as keys of dicts and elements of sets, hashed by which one they are.

On the host they are dicts, which have no hash. What stands for one is a method of it: that is
equal to the same method of the same dict only, and keeps the dict.
"""

import ast
import operator

import libcst as cst

from rewriter.evaluation.rendering import call_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import host_type, run_time_cell
from rewriter.host_type_properties import is_host_instance
from rewriter.host_type_relations import decided, unify
from rewriter.host_types import HandleType, HostType, MappingType, RecordType, SetType
from rewriter.state import State
from rewriter.values import ObjectCell, Reference, RunTimeCell, Value, ViewValue

_METHOD = "get"


def is_hashed_by_identity(state: State, value: Value) -> bool:
    """Return whether a value is an instance made in the call, of a class without an own hash."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    match cell:
        case ObjectCell():
            kind = cell.kind
        case RunTimeCell() if is_host_instance(cell.type):
            kind = cell.kind
        case _:
            return False
    return _has_identity(kind)


def _has_identity(kind: type) -> bool:
    return all(getattr(kind, name) is getattr(object, name) for name in ("__hash__", "__eq__"))


def hashed_items(frame: Frame, items: ast.expr, element: HostType) -> tuple[ast.expr, HostType]:
    """Return an iterable of the host as one of what a set may hold, where its elements stand."""
    found = decided(element)
    if not isinstance(found, RecordType) or found.kind is dict or not _has_identity(found.kind):
        return items, element
    reference = frame.run.builder.reference
    getter = call_expression(
        reference(operator.attrgetter, "operator.attrgetter"), [ast.Constant(value=_METHOD)]
    )
    return call_expression(reference(map, "map"), [getter, items]), HandleType(element)


def is_hashed_on_host(state: State, container: Value) -> bool:
    """Return whether a container of the host is searched by hash."""
    if isinstance(container, ViewValue):
        return container.part == "keys"
    cell = run_time_cell(state, container)
    return cell is not None and isinstance(cell.type, SetType | MappingType)


def handle_of(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, wanted: HostType
) -> ast.expr:
    """Return the expression of what stands for an instance, which moves to the host."""
    if decided(wanted) is None:
        given = HandleType(host_type(frame, node, state, value))
        state.places.decide(wanted, given)
        unify(wanted, given)
    target = decided(wanted)
    if not isinstance(target, HandleType):
        frame.refuse("DYCL051", node, "the keys of this dict or set are of different types")
    owner = put(frame, node, state, value, target.item)
    return ast.Attribute(value=owner, attr=_METHOD, ctx=ast.Load())
