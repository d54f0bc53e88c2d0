"""Control flow spelled as torch functions: ``torch.cond``, ``map``, ``torch._check``."""

import libcst as cst
import torch
from functorch.experimental import control_flow  # type: ignore[import-untyped]

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import sequence_items
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.special_calls import Keywords, Positional, special
from rewriter.evaluation.truth import truths
from rewriter.state import State
from rewriter.values import NONE, Known, ListCell, Value


@special(torch.cond)
def cond(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.cond(pred, true_fn, false_fn, operands)``: a dynamic ``if``."""
    names = ("pred", "true_fn", "false_fn", "operands")
    given = {**dict(zip(names, positional, strict=False)), **keywords}
    operands = sequence_items(state, given.get("operands", Known(())))
    if operands is None:
        frame.refuse("DYCL044", node, "the operands of cond must be a list or tuple")
    for arm, truth in truths(frame, node, state, given["pred"]):
        function = given["true_fn" if truth else "false_fn"]
        yield from call_value(frame, node, arm, function, list(operands), {})


@special(control_flow.map)
def map_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``map(function, xs, *args)``: the function over the rows, results stacked."""
    del keywords
    function, rows, *arguments = positional
    for after, items in items_of(frame, node, state, rows):
        yield from _stacked(frame, node, after, function, list(items), arguments, [])


def _stacked(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Value,
    items: list[Value],
    arguments: list[Value],
    done: list[Value],
) -> Outcomes:
    if items:
        first, *rest = items
        for after, result in call_value(frame, node, state, function, [first, *arguments], {}):
            yield from _stacked(frame, node, after, function, rest, arguments, [*done, result])
        return
    whole = frame.run.allocate(state, ListCell(tuple(done)))
    yield from call_value(frame, node, state, Known(torch.stack, "torch.stack"), [whole], {})


@special(torch._check, torch._check_value, torch._check_type, torch._check_index)
def check(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch._check(condition, message)``: RuntimeError where the condition is false."""
    condition = positional[0] if positional else keywords["cond"]
    rest = positional[1:]
    message = rest[0] if rest else keywords.get("message")
    for arm, truth in truths(frame, node, state, condition):
        if truth:
            yield arm, NONE
            continue
        if message is None or (isinstance(message, Known) and message.value is None):
            try:
                torch._check(False)  # type: ignore[no-untyped-call]
            except RuntimeError as error_of_torch:
                frame.run.raise_known(arm, error_of_torch)
            continue
        for after, text in call_value(frame, node, arm, message, [], {}):
            for done, error in call_value(frame, node, after, Known(RuntimeError), [text], {}):
                frame.run.raise_(done, error)
