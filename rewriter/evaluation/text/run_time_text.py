"""Strings known only at run time: their methods, letters and pieces."""

import ast

import libcst as cst

from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_index
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.rendering import NotMaterial, call_expression, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_iterables import host_items
from rewriter.evaluation.run_time.run_time_objects import taken
from rewriter.evaluation.run_time.run_time_sequences import host_index
from rewriter.host_type_relations import unify
from rewriter.host_types import TEXT, HostType, NumberType, SequenceType, TupleType
from rewriter.state import State
from rewriter.values import TensorValue, Value

_FLAGS = frozenset(
    {"startswith", "endswith", "isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric",
     "isspace", "islower", "isupper", "istitle", "isidentifier", "isascii", "isprintable"}
)  # fmt: skip
_NUMBERS = frozenset({"find", "rfind", "index", "rindex", "count"})
_LISTS = frozenset({"split", "rsplit", "splitlines"})
_TRIPLES = frozenset({"partition", "rpartition"})
_TEXTS = frozenset(
    {"upper", "lower", "title", "capitalize", "casefold", "swapcase", "strip", "lstrip", "rstrip",
     "replace", "zfill", "center", "ljust", "rjust", "expandtabs", "removeprefix", "removesuffix",
     "format"}
)  # fmt: skip


def _result_type(name: str) -> HostType | None:
    if name in _FLAGS:
        return NumberType(bool)
    if name in _NUMBERS:
        return NumberType(int)
    if name in _LISTS:
        return SequenceType(TEXT)
    if name in _TRIPLES:
        return TupleType((TEXT, TEXT, TEXT))
    return TEXT if name in _TEXTS else None


def text_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Value, name: str,
    positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate a method of a string: the host has the same."""
    if name == "join" and len(positional) == 1 and not keywords:
        yield from joined(frame, node, state, receiver, positional[0])
        return
    result = _result_type(name)
    if result is None:
        frame.refuse("DYCL059", node, f"method {name!r} of a run-time string")
    try:
        expression = render_call(
            frame.run,
            state,
            ast.Attribute(value=render(frame.run, state, receiver), attr=name, ctx=ast.Load()),
            positional,
            keywords,
        )
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"{error.reason} is passed to {name}")
    yield from taken(frame, node, state, expression, result)


_NO_INDEX = "only integer tensors of a single element can be converted to an index"


def text_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    """Evaluate ``text[index]`` and ``text[a:b]``; an index may be a tensor of one integer."""
    if isinstance(index, TensorValue):
        if index.fake.dtype.is_floating_point or index.fake.dtype.is_complex:
            frame.run.raise_known(state, TypeError(_NO_INDEX))
            return
        for after, number in item_of(frame, node, state, index):
            yield from text_item(frame, node, after, value, number)
        return
    error = misfit_of_index(state, "", index)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    for after, position, _ in host_index(frame, node, state, index):
        expression = ast.Subscript(
            value=render(frame.run, after, value), slice=position, ctx=ast.Load()
        )
        yield from taken(frame, node, after, expression, TEXT)


def joined(
    frame: Frame, node: cst.CSTNode, state: State, separator: Value, items: Value
) -> Outcomes:
    """Evaluate ``separator.join(items)`` on the host."""
    for after, expression, element in host_items(frame, node, state, items):
        if not unify(element, TEXT):
            frame.refuse("DYCL054", node, "join() of other things than strings")
        text = render(frame.run, after, separator)
        method = ast.Attribute(value=text, attr="join", ctx=ast.Load())
        yield from taken(frame, node, after, call_expression(method, [expression]), TEXT)
