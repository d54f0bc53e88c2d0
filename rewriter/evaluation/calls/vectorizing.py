"""``torch.vmap`` of the user's functions: inlined for each example.

PyTorch runs the function once, on all examples together, and raises where it would have to decide
by what they hold. So functions are refused that do more than compute tensors from tensors.
"""

import types
from typing import NoReturn

import libcst as cst
import torch
from torch._functorch import apis

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.calls.traced_branches import changes
from rewriter.evaluation.calls.vectorized_trials import goes_together
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import vectorizing
from rewriter.program import Copy, Statement, TensorStatement
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, TensorValue, Value

special(torch.vmap)(inlined(vectorizing.vmap))

_MAPPED = next(
    each
    for each in apis.vmap.__code__.co_consts
    if isinstance(each, types.CodeType) and each.co_name == "wrapped"
)
"""The code of what ``torch.vmap`` returns, where it was called before the model was."""


@special(vectorizing.one_way)
def one_way(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call a function; refuse it where calling it once is not the same, or is not possible."""
    builder = frame.run.builder
    before, start, declared = (
        state.fork(state.block),
        builder.length(state.block),
        {*builder.variables},
    )
    place, own, function, *arguments = positional
    outcomes = list(call_value(frame, node, state, function, arguments, keywords))
    for after, _ in outcomes:
        if after.block != before.block:
            _refuse(frame, node, "decides by what an example holds", "decide with torch.where")
        if not all(map(_is_of_tensors, builder.tail(before.block, start))):
            _refuse(
                frame, node, "reads or tells what an example holds", "return it, and read it then"
            )
        if changes(before, after, declared):
            _refuse(frame, node, "changes what was there before", "return what it computes")
        # what follows is like the first one
        is_first = not isinstance(place, Known) or place.value == 0
        statements = builder.tail(before.block, start)
        if is_first and not goes_together(builder, statements, _names(before, own)):
            what = "PyTorch cannot run on all examples together, or with other types then,"
            _refuse(frame, node, what, "write it for a batch, or call it in a loop")
    yield from outcomes


@special(vectorizing.no_examples)
def no_examples(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Refuse a batch that may be empty."""
    del state, positional, keywords
    frame.refuse(
        "DYCL045",
        node,
        "torch's vmap() may get no examples, for which it raises with some functions",
        help="call it where a test has said that there are some",
    )


def _names(state: State, own: Value) -> list[str]:
    assert isinstance(own, Reference)
    cell = state.heap[own.identity]
    assert isinstance(cell, ListCell)
    return [item.name for item in cell.items if isinstance(item, TensorValue)]


def _refuse(frame: Frame, node: cst.CSTNode, what: str, advice: str) -> NoReturn:
    frame.refuse(
        "DYCL045",
        node,
        f"a function that {what} is passed to torch's vmap()",
        help=f"PyTorch runs it once for all examples, or raises: {advice}",
    )


def _is_of_tensors(statement: Statement) -> bool:
    return isinstance(statement, TensorStatement | Copy)


def mapped_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of what ``torch.vmap`` made when the model was built."""
    if not isinstance(content, types.FunctionType) or content.__code__ is not _MAPPED:
        return None
    names = content.__code__.co_freevars
    cells = dict(zip(names, content.__closure__ or (), strict=True))
    made: list[Value] = [
        Known(cells[name].cell_contents) for name in ("func", "in_dims", "out_dims")
    ]

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        again = Known(vectorizing.vmap)
        for after, function in call_value(frame, node, state, again, made, {}):
            yield from call_value(frame, node, after, function, positional, keywords)

    return call
