"""``print``, ``warnings.warn`` and logging: done by the host, in order."""

import libcst as cst
import torch
import torch.utils.checkpoint

from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.instances.generated_methods import is_argument_object
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_mentions import holds_tensor
from rewriter.state import State
from rewriter.values import Known, Value


def call_output(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``print``, ``warnings.warn`` and logging: done by the host, in order."""
    # Text is made by calls of methods: a real cycle.
    from rewriter.evaluation.text.printing_objects import printed_values

    if function.value is not print:
        if any(map(is_argument_object, [*positional, *keywords.values()])):
            frame.refuse("DYCL046", node, "an object that is an argument is logged")
        yield from _call_output_of_values(frame, node, state, function, positional, keywords)
        return
    for after, values in printed_values(frame, node, state, positional):
        yield from _call_output_of_values(frame, node, after, function, values, keywords)


def _call_output_of_values(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    if function.value is print:
        positional = [_printed(state, value) for value in positional]
    try:
        expression = render_call(
            frame.run, state, render(frame.run, state, function), positional, keywords
        )
    except NotMaterial as error:
        frame.refuse("DYCL046", node, f"{error.reason} is printed")
    if holds_tensor(state, *positional, *keywords.values()):
        frame.refuse(
            "DYCL046",
            node,
            "a tensor is printed: the host's arrays would print differently",
            "print numbers taken from it with .item()",
        )
    host_effect(frame.run, state, expression, frame.origin(node), may_raise=False)
    yield state, Known(None)


def _printed(state: State, value: Value) -> Value:
    """Return the text of an object that the host may not have, such as a ``torch.Size``."""
    known = known_object(state, value)
    if known is None or isinstance(known.value, torch.Tensor):
        return value
    return known if isinstance(known.value, str | int | float) else Known(str(known.value))
