"""What the user's ``__bool__`` and ``__len__`` may answer: Python looks at it, and raises."""

import ast
import operator
from collections.abc import Iterator

import libcst as cst
import torch

from rewriter.array_samples import class_of_sample
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value


def of_bool(
    frame: Frame, node: cst.CSTNode, state: State, answer: Value
) -> Iterator[tuple[State, Value]]:
    """Yield what ``__bool__`` answered where that is a bool."""
    kind = _kind_of(frame, node, state, answer)
    if kind is bool:
        yield state, answer
        return
    error = TypeError(f"__bool__ should return bool, returned {kind.__name__}")
    frame.run.raise_known(state, error)


def of_len(
    frame: Frame, node: cst.CSTNode, state: State, answer: Value
) -> Iterator[tuple[State, Value]]:
    """Yield what ``__len__`` answered, as an int, where that is one and not negative."""
    kind = _kind_of(frame, node, state, answer)
    if not issubclass(kind, int):
        try:
            kind, answer = int, Known(_index(frame, node, kind, answer))
        except TypeError as error:
            frame.run.raise_known(state, error)
            return
    negative = ValueError("__len__() should return >= 0")
    if isinstance(answer, Known):
        if answer.value >= 0:
            yield state, Known(int(answer.value))
        else:
            frame.run.raise_known(state, negative)
        return
    if kind is not int:
        frame.refuse("DYCL039", node, f"__len__ gives a {kind.__name__} known only at run time")
    for after, is_negative in _is_negative(frame, node, state, answer):
        if is_negative:
            frame.run.raise_known(after, negative)
        else:
            yield after, answer


def _index(frame: Frame, node: cst.CSTNode, kind: type, answer: Value) -> int:
    """Return the integer that Python takes an object for, such as one of numpy's."""
    if not hasattr(kind, "__index__"):
        raise TypeError(f"{kind.__name__!r} object cannot be interpreted as an integer")
    if not isinstance(answer, Known) or kind is torch.Tensor or not is_library(kind.__module__):
        frame.refuse("DYCL039", node, f"__len__ gives a {kind.__name__}, not an int")
    return operator.index(answer.value)


def _is_negative(
    frame: Frame, node: cst.CSTNode, state: State, answer: Value
) -> Iterator[tuple[State, bool]]:
    """Yield whether a run-time number is negative, without a test where its size says so."""
    if isinstance(answer, ScalarValue) and answer.size is not None:
        frame.run.sizes.facts = state.size_facts
        if frame.run.sizes.decide(answer.size.node.expr >= 0):
            yield state, False
            return
    test = ast.Compare(
        left=render(frame.run, state, answer), ops=[ast.Lt()], comparators=[ast.Constant(value=0)]
    )
    found = host_scalar(frame.run, state, test, bool, frame.origin(node))
    yield from frame.run.branch(state, render(frame.run, state, found), frame.origin(node))


def _kind_of(frame: Frame, node: cst.CSTNode, state: State, answer: Value) -> type:
    match answer:
        case ScalarValue():
            kind = answer.type
        case TensorValue():
            kind = torch.Tensor
        case HostValue():
            kind = class_of_sample(answer.sample)
        case _:
            kind = class_of(state, answer)
    if kind is None:
        frame.refuse("DYCL039", node, "the type of what __bool__ or __len__ gives is not known")
    return kind
