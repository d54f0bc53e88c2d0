"""Calls of methods of run-time dicts, and those for both ends of an ``OrderedDict``."""

import ast

import libcst as cst

from rewriter.evaluation.host.host_fitting import fits
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.host.host_typing import NoHostType
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.hashed_instances import handle_of, is_hashed_by_identity
from rewriter.evaluation.run_time.missing_keys import require_key, require_some
from rewriter.evaluation.run_time.run_time_objects import host_type, taken
from rewriter.host_type_properties import has_instance, has_tensor, is_mutable
from rewriter.host_types import HostType, MappingType, TupleType
from rewriter.state import State
from rewriter.values import NONE, Known, RunTimeCell, Value


def key_expression(
    frame: Frame, node: cst.CSTNode, state: State, key: Value, wanted: HostType
) -> ast.expr:
    """Return the expression of a key that the dict is asked for."""
    if is_hashed_by_identity(state, key):
        return handle_of(frame, node, state, key, wanted)
    given = host_type(frame, node, state, key)
    if has_tensor(given) or has_instance(given) or is_mutable(given):
        frame.refuse(
            "DYCL051", node, "this kind of run-time value as a key of a dict or element of a set",
            "use numbers, strings and tuples of them: tensor.item()",
        )  # fmt: skip
    try:
        if not fits(state, key, wanted):
            state.places.compare(given, wanted)
            frame.refuse("DYCL051", node, "the keys of this dict or set are of different types")
    except NoHostType as error:
        frame.refuse("DYCL051", node, f"{error} as a key")
    return render(frame.run, state, key)


def own_method(cell: RunTimeCell, name: str) -> ast.expr:
    """Return the expression of a container's method."""
    return ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())


def method_effect(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, name: str,
    arguments: list[ast.expr], *, may_raise: bool = False,
) -> None:  # fmt: skip
    """Emit the call of a method that changes a dict."""
    expression = call_expression(own_method(cell, name), arguments)
    host_effect(frame.run, state, expression, frame.origin(node), may_raise=may_raise)


def at_an_end(
    frame: Frame, node: cst.CSTNode, state: State, cell: RunTimeCell, given: MappingType,
    name: str, positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``popitem(last)`` and ``move_to_end(key, last)`` of an ``OrderedDict``."""
    number = 1 if name == "move_to_end" else 0
    if keywords.keys() - {"last"} or not number <= len(positional) + len(keywords) <= number + 1:
        frame.refuse("DYCL073", node, f"method {name!r} of a run-time dict with these arguments")
    key = [key_expression(frame, node, state, value, given.key) for value in positional[:number]]
    flags = [*positional[number:], *keywords.values()]
    if not all(isinstance(flag, Known) for flag in flags):
        frame.refuse("DYCL073", node, "which end of a run-time dict is known only at run time")
    places = [*key, *(render(frame.run, state, flag) for flag in flags)]
    whole = name_expression(cell.name)
    if name == "move_to_end":
        asked = [*positional, *keywords.values()][0]
        may_raise = require_key(frame, node, state, whole, places[0], asked)
        method_effect(frame, node, state, cell, name, places, may_raise=may_raise)
        yield state, NONE
        return
    expression = call_expression(own_method(cell, name), places)
    may_raise = require_some(frame, node, state, whole, "dictionary is empty")
    pair = TupleType((given.key, given.value))
    yield from taken(frame, node, state, expression, pair, may_raise=may_raise)
