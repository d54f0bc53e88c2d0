"""``print``, ``warnings.warn`` and logging: done by the host, in order."""

import ast
import logging

import libcst as cst
import torch

from rewriter.evaluation.calls.library import is_logging
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.instances.generated_methods import is_argument_object
from rewriter.evaluation.rendering import NotMaterial, known_object, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_mentions import holds_tensor
from rewriter.evaluation.text.percent_conversions import with_numbers
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

    if function.value is print:
        for after, values in printed_values(frame, node, state, positional):
            shown = [_printed(after, value) for value in values]
            called = render(frame.run, after, function)
            yield from _call(frame, node, after, called, shown, keywords)
        return
    if any(map(is_argument_object, [*positional, *keywords.values()])):
        frame.refuse("DYCL046", node, "an object that is an argument is logged")
    if is_logging(function.value):
        called, given = _log(frame, state, function, positional)
        logged = _logged(frame, node, state, given, keywords)
        yield from _call(frame, node, state, called, logged, keywords)
        return
    called = render(frame.run, state, function)
    yield from _call(frame, node, state, called, positional, keywords)


def _call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    called: ast.expr,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    try:
        expression = render_call(frame.run, state, called, positional, keywords)
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


def _log(
    frame: Frame, state: State, function: Known, positional: list[Value]
) -> tuple[ast.expr, list[Value]]:
    """Return what writes to a log, and the arguments: a logger's method by its name."""
    bound = getattr(function.value, "__self__", None)
    first = Known(bound) if isinstance(bound, logging.Logger) else (*positional, None)[0]
    if not isinstance(first, Known) or not isinstance(first.value, logging.Logger):
        return render(frame.run, state, function), positional
    # By no path of the user's: a host package has only the name of the logger.
    logger = frame.run.builder.reference(first.value, None)
    name = getattr(function.value, "__name__", "")
    method = ast.Attribute(value=logger, attr=name, ctx=ast.Load())
    return method, positional if bound is not None else positional[1:]


def _logged(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> list[Value]:
    """Return what is logged, with the text of objects that the host may not have."""
    for name in ("exc_info", "stack_info"):
        given = keywords.get(name, Known(None))
        if not (isinstance(given, Known) and given.value in (None, False)):
            frame.refuse("DYCL046", node, f"a traceback is logged ({name})")
    texts = [n for n, v in enumerate(positional) if isinstance(v, Known) and type(v.value) is str]
    if not texts:
        return [_named(state, value) for value in positional]
    message, values = positional[: texts[0] + 1], positional[texts[0] + 1 :]
    template: str = message[-1].value  # type: ignore[union-attr]
    shown = with_numbers(frame, node, state, template, values)
    if "%r" not in template and "%a" not in template:
        shown = [_named(state, value) for value in shown]
    return [*message, *shown]


def _named(state: State, value: Value) -> Value:
    """Return the text of what the host may not have: sizes, element types, classes, modules."""
    known = known_object(state, value)
    if known is None or type(known.value) in (list, tuple, dict):
        return value
    return _printed(state, value)


def _printed(state: State, value: Value) -> Value:
    """Return the text of an object that the host may not have, such as a ``torch.Size``."""
    known = known_object(state, value)
    if known is None or isinstance(known.value, torch.Tensor):
        return value
    return known if isinstance(known.value, str | int | float) else Known(str(known.value))
