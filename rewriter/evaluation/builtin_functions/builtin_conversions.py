"""Builtins that turn a value into a number or a text: ``int``, ``float``, ``str``, ``abs``."""

import ast
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.quotients import rounded
from rewriter.evaluation.operators.truth import item_of, truths
from rewriter.evaluation.rendering import call_expression, known_object, render, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.known_content import note_asked
from rewriter.evaluation.tensors.tensor_methods import tensor_method
from rewriter.evaluation.text.text_formatting import format_value
from rewriter.size_expressions import keys_of
from rewriter.state import State
from rewriter.values import HostValue, Known, MethodValue, ScalarValue, TensorValue, Value


def _conversion(kind: type) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        own = _own_method(state, positional, kind) if not keywords else None
        if own is not None:
            yield from _by_method(frame, node, state, own, kind)
            return
        if kind is bool and not keywords and _is_asked(positional):
            for after, truth in truths(frame, node, state, positional[0]):
                yield after, Known(truth)
            return
        values = [*positional, *keywords.values()]
        knowns = [known_object(state, value) for value in values]
        if None not in knowns and not any(tensor_of(value) is not None for value in values):
            contents = [known.value for known in knowns if known is not None]
            named = dict(zip(keywords, contents[len(positional) :], strict=True))
            try:
                result = kind(*contents[: len(positional)], **named)
            except Exception as error:
                frame.run.raise_known(state, error)
                return
            yield state, Known(result)
            return
        based = _in_base(frame, node, state, positional, keywords) if kind is int else None
        if based is not None:
            yield state, based
            return
        if keywords or len(positional) != 1:
            frame.refuse("DYCL039", node, f"{kind.__name__}() with these arguments")
        (value,) = positional
        for after, number in _to_number(frame, node, state, value, kind):
            yield from _converted(frame, node, after, number, kind)

    return rule


def _is_asked(positional: Positional) -> bool:
    """Return whether there is one object, which may say itself whether it is true."""
    return len(positional) == 1 and not isinstance(positional[0], TensorValue | ScalarValue)


def _in_base(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Value | None:
    """Return ``int(text, base)`` of a text of run time, None for other calls."""
    given = [*positional, *(keywords[name] for name in ("base",) if name in keywords)]
    if len(given) != 2 or len(keywords) + len(positional) != 2:
        return None
    text, base = given
    is_text = isinstance(text, HostValue) and isinstance(text.sample, str)
    if not is_text or not isinstance(base, Known) or type(base.value) is not int:
        return None
    reference = frame.run.builder.reference(int, "int")
    arguments = [render(frame.run, state, text), ast.Constant(value=base.value)]
    expression = call_expression(reference, arguments)
    return host_scalar(frame.run, state, expression, int, frame.origin(node), effect=True)


_METHODS = {int: ("__int__", "__index__"), float: ("__float__", "__index__")}
"""Methods of a class that say what number an instance is, the first one that there is."""


def _own_method(
    state: State, positional: Positional, kind: type
) -> tuple[type, MethodValue] | None:
    """Return the method of the user's class that makes a number of its instance, if any.

    With it, the type of the numbers that it must give.
    """
    if len(positional) != 1 or kind not in _METHODS:
        return None
    for name in _METHODS[kind]:
        method = method_of(state, positional[0], name)
        if method is not None:
            return int if name == "__index__" else kind, method
    return None


def _by_method(
    frame: Frame, node: cst.CSTNode, state: State, own: tuple[type, MethodValue], kind: type
) -> Outcomes:
    given, method = own
    for after, number in call_value(frame, node, state, method, [], {}):
        is_known = isinstance(number, Known) and type(number.value) is given
        if not is_known and not (isinstance(number, ScalarValue) and number.type is given):
            frame.refuse("DYCL039", node, f"an object's conversion gives no {given.__name__}")
        yield from _converted(frame, node, after, number, kind)


def _to_number(frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type) -> Outcomes:
    match value:
        case TensorValue():
            yield from item_of(frame, node, state, value, _no_number(kind, value.fake))
        case Known() if isinstance(value.value, torch.Tensor):
            note_asked(frame.run, value.value)
            if value.value.numel() == 1:
                yield state, Known(value.value.item())
            else:
                frame.run.raise_known(state, _no_number(kind, value.value))
        case ScalarValue() | HostValue() | Known():
            yield state, value
        case _:
            frame.refuse("DYCL039", node, "this object cannot be converted to a number")


def _no_number(kind: type, tensor: torch.Tensor) -> Exception:
    """Return what PyTorch raises where a tensor of another size than one becomes a number."""
    if kind is bool:
        words = "no values" if 0 in keys_of(tensor.shape) else "more than one value"
        return RuntimeError(f"Boolean value of Tensor with {words} is ambiguous")
    return ValueError("only one element tensors can be converted to Python scalars")


def _converted(
    frame: Frame, node: cst.CSTNode, state: State, number: Value, kind: type
) -> Outcomes:
    if isinstance(number, Known):
        yield state, Known(kind(number.value))
        return
    if isinstance(number, ScalarValue) and number.type is kind:
        yield state, number
        return
    reference = frame.run.builder.reference(kind, kind.__name__)
    expression = call_expression(reference, [render(frame.run, state, number)])
    effect = kind is int or (kind is float and not isinstance(number, ScalarValue))  # a text
    converted = host_scalar(frame.run, state, expression, kind, frame.origin(node), effect=effect)
    if isinstance(number, ScalarValue) and kind is int and number.name in frame.run.ranges:
        frame.run.ranges[converted.name] = frame.run.ranges[number.name]
    yield state, rounded(frame.run, state, kind, [number], converted)


for _kind in (int, float, bool):
    special(_kind)(_conversion(_kind))


@special(str)
def str_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``str(x)``, and the text that bytes are of."""
    if keywords or len(positional) > 1:
        yield from call_library(frame, node, state, Known(str, "str"), positional, keywords)
        return
    if not positional:
        yield state, Known("")
        return
    yield from format_value(frame, node, state, positional[0], Known(""), "s")


@special(repr)
def repr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``repr(x)``."""
    del keywords

    yield from format_value(frame, node, state, positional[0], Known(""), "r")


@special(format)
def format_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``format(x, spec)``."""
    del keywords

    spec = positional[1] if len(positional) > 1 else Known("")
    yield from format_value(frame, node, state, positional[0], spec, None)


def _numeric(function: Any, method: str) -> SpecialRule:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        first = positional[0]
        own = method_of(state, first, f"__{method}__")
        if own is not None:
            yield from call_value(frame, node, state, own, positional[1:], keywords)
        elif isinstance(first, TensorValue) and not hasattr(torch.Tensor, f"__{method}__"):
            error = TypeError(f"type Tensor doesn't define __{method}__ method")
            frame.run.raise_known(state, error)
        elif isinstance(first, TensorValue):
            yield from tensor_method(frame, node, state, first, method, positional[1:], keywords)
        else:
            reference = Known(function, function.__name__)
            yield from call_library(frame, node, state, reference, positional, keywords)

    return rule


special(abs)(_numeric(abs, "abs"))


special(round)(_numeric(round, "round"))
