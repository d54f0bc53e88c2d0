"""Lists of integers and floats: whether a float is among them decides what is made of them."""

import ast
import itertools
from collections.abc import Iterator

import libcst as cst
import torch

from rewriter.evaluation.calls.library import is_numpy
from rewriter.evaluation.host.host_samples import WITH_FLOATS, WITHOUT_FLOATS, of_list
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.host_tensors import takes_any_number, tensor_from_host
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.host_type_relations import decided
from rewriter.host_types import PLAIN, HostType, NumberType, SequenceType, TupleType
from rewriter.size_expressions import Size
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def nest_of(given: HostType) -> tuple[int, set[type | None]] | None:
    """Return how deep a nest of numbers is, and the types of its numbers; None for others."""
    match decided(given):
        case NumberType(kind=kind) if kind in (None, PLAIN, bool, int, float):
            return 0, {kind}
        case SequenceType(kind=kind) as sequence if kind in (list, tuple):
            inner = nest_of(sequence.element)
            return None if inner is None else (inner[0] + 1, inner[1])
        case TupleType() as whole if whole.kind is tuple and whole.items:
            parts = [nest_of(item) for item in whole.items]
            found = [part for part in parts if part is not None]
            if len(found) < len(parts) or len({depth for depth, _ in found}) > 1:
                return None
            return found[0][0] + 1, set().union(*(kinds for _, kinds in found))
        case _:
            return None


def has_floats(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, depth: int
) -> Iterator[tuple[State, bool]]:
    """Yield whether a float is among the numbers of a nest: a test on the host.

    ``float in map(type, chain(*rows))``
    """
    builder = frame.run.builder
    numbers: ast.expr = name_expression(cell.name)
    for _ in range(depth - 1):
        each = ast.Starred(value=numbers, ctx=ast.Load())
        numbers = call_expression(builder.reference(itertools.chain, "itertools.chain"), [each])
    yield from any_is_float(frame, node, state, numbers)


def any_is_float(
    frame: Frame, node: cst.CSTNode, state: State, numbers: ast.expr
) -> Iterator[tuple[State, bool]]:
    """Yield whether a float is among what an expression of the host gives one by one."""
    builder = frame.run.builder
    kinds = call_expression(
        builder.reference(map, "map"), [builder.reference(type, "type"), numbers]
    )
    test = ast.Compare(left=builder.reference(float, "float"), ops=[ast.In()], comparators=[kinds])
    origin = frame.origin(node)
    found = host_scalar(frame.run, state, test, bool, origin, effect=True, may_raise=False)
    yield from truths(frame, node, state, found)


def typed_operand(
    frame: Frame, node: cst.CSTNode, state: State, operands: tuple[Value, ...]
) -> Iterator[tuple[State, tuple[Value, ...]]] | None:
    """Yield the operands of an operator with a number as an integer, and as a float.

    None where that is the same to the tensor among them.
    """
    contents = [o.fake if isinstance(o, TensorValue) else getattr(o, "value", o) for o in operands]
    plain = next((o for o in operands if isinstance(o, ScalarValue) and o.plain), None)
    if plain is None or any(map(takes_any_number, contents)):
        return None
    return _typed(frame, node, state, operands, plain.name)


def _typed(
    frame: Frame, node: cst.CSTNode, state: State, operands: tuple[Value, ...], name: str
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    number = ast.List(elts=[name_expression(name)], ctx=ast.Load())
    for arm, is_float in any_is_float(frame, node, state, number):
        typed = ScalarValue(name, float if is_float else int)
        yield arm, tuple(typed if getattr(o, "name", None) == name else o for o in operands)


def tensor_by_floats(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    data: Value,
    expression: ast.expr,
    shape: tuple[Size, ...],
) -> Outcomes:
    """Make a tensor of floats where there is a float, else one of integers."""
    names = dict.fromkeys(_plain_numbers(state, data))
    numbers = ast.List(elts=[name_expression(name) for name in names], ctx=ast.Load())
    for arm, some in any_is_float(frame, node, state, numbers):
        dtype = torch.get_default_dtype() if some else torch.int64
        yield arm, tensor_from_host(frame, node, arm, expression, dtype, shape)


def _plain_numbers(state: State, value: Value) -> Iterator[str]:
    """Yield the variables of numbers in a nest that are integers or floats."""
    match value:
        case ScalarValue(plain=True):
            yield value.name
        case TupleValue():
            for item in value.items:
                yield from _plain_numbers(state, item)
        case Reference() if isinstance(cell := state.heap[value.identity], ListCell):
            for item in cell.items:
                yield from _plain_numbers(state, item)
        case _:
            return


def by_floats(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
    filled: frozenset[str],
) -> Outcomes | None:
    """Call a function of numpy on lists with floats, and on lists without; None for others."""
    if not is_numpy(function.value):
        return None
    for value in positional:
        cell = run_time_cell(state, value)
        nest = None if cell is None else nest_of(cell.type)
        if cell is None or nest is None or PLAIN not in nest[1] or nest[0] == 0:
            continue
        told = [of_list(cell.name, what) for what in (WITH_FLOATS, WITHOUT_FLOATS)]
        if filled.isdisjoint(told):
            given = (function, positional, keywords, filled)
            return _by_floats(frame, node, state, cell, nest[0], given)
    return None


def _by_floats(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    cell: RunTimeCell,
    depth: int,
    given: tuple[Known, list[Value], dict[str, Value], frozenset[str]],
) -> Outcomes:
    # Calls on the host ask for floats themselves: a real cycle.
    from rewriter.evaluation.host.host_objects import call_on_host

    function, positional, keywords, filled = given
    for arm, some in has_floats(frame, node, state, cell, depth):
        known = filled | {of_list(cell.name, WITH_FLOATS if some else WITHOUT_FLOATS)}
        yield from call_on_host(frame, node, arm, function, positional, keywords, known)
