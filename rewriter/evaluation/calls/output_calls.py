"""``print``, ``warnings.warn`` and logging: done by the host, in order."""

import ast
import logging
import warnings
from typing import NoReturn

import libcst as cst

from rewriter.evaluation.calls.library import asked_of_logger, is_logging
from rewriter.evaluation.containers.containers import describe
from rewriter.evaluation.control.warning_filters import is_ignored
from rewriter.evaluation.host.host_statements import host_effect, host_scalar
from rewriter.evaluation.instances.generated_methods import is_argument_object
from rewriter.evaluation.rendering import NotMaterial, render, render_call, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_mentions import holds_tensor
from rewriter.evaluation.text.host_texts import host_text
from rewriter.evaluation.text.percent_conversions import shown_operands
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
            shown = [_shown(frame, node, after, value) for value in values]
            called = render(frame.run, after, function)
            frame.run.builder.outputs.append(frame.origin(node))
            yield from _call(frame, node, after, called, shown, keywords)
        return
    if function.value is warnings.warn and is_ignored(frame, node, state, positional, keywords):
        yield state, Known(None)
        return
    if any(map(is_argument_object, [*positional, *keywords.values()])):
        frame.refuse("DYCL046", node, "an object that is an argument is logged")
    answer = asked_of_logger(function.value)
    if answer is not None:
        called, given = _log(frame, state, function, positional)
        asked = render_call(frame.run, state, called, given, keywords)
        origin = frame.origin(node)
        yield state, host_scalar(frame.run, state, asked, answer, origin, effect=True)
        return
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
    place = texts[0] + 1 if texts else len(positional)
    message = [_shown(frame, node, state, value) for value in positional[:place]]
    template = str(message[-1].value) if texts and isinstance(message[-1], Known) else ""

    def refuse(value: Value) -> NoReturn:
        _refuse(frame, node, state, value)

    return [
        *message,
        *shown_operands(frame, node, state, template, positional[place:], refuse),
    ]


def _shown(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return what the host prints as the program does; tensors are refused afterwards."""
    if tensor_of(value) is not None:
        return value
    shown = host_text(frame, state, value, replaced=True)
    return shown if shown is not None else _refuse(frame, node, state, value)


def _refuse(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> NoReturn:
    frame.refuse("DYCL046", node, f"{describe(state, value)} is printed")
