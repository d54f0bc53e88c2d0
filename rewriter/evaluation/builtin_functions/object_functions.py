"""Library functions over objects of the program: namespaces, ``dataclasses``, ``copy``."""

import argparse
import copy
import dataclasses
import types

import libcst as cst

from rewriter.evaluation.builtin_functions.copying import (
    attributes_of,
    copied,
    deep_copied,
    exported,
)
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.instances import instantiate
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    Known,
    MethodValue,
    ObjectCell,
    Reference,
    RunTimeCell,
    Value,
    is_none,
)


@special(types.SimpleNamespace)
def simple_namespace(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``SimpleNamespace(name=value)``."""
    if positional:
        error = TypeError("no positional arguments expected")
        frame.run.raise_known(state, error)
        return
    yield state, frame.run.allocate(state, ObjectCell(types.SimpleNamespace, dict(keywords)))


@special(argparse.Namespace)
def namespace(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``argparse.Namespace(name=value)``."""
    if positional:
        error = TypeError(
            f"Namespace.__init__() takes 1 positional argument but {len(positional) + 1} were given"
        )
        frame.run.raise_known(state, error)
        return
    yield state, frame.run.allocate(state, ObjectCell(argparse.Namespace, dict(keywords)))


@special(types.MethodType)
def bound_method(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``types.MethodType(function, receiver)``."""
    if keywords or len(positional) != 2:
        found = f"method expected 2 arguments, got {len(positional)}"
        error = TypeError("method() takes no keyword arguments" if keywords else found)
        frame.run.raise_known(state, error)
        return
    function, receiver = positional
    is_callable = callable(function.value) if isinstance(function, Known) else True
    if not is_callable or is_none(receiver):
        reason = "instance must not be None" if is_callable else "first argument must be callable"
        frame.run.raise_known(state, TypeError(reason))
        return
    if not isinstance(function, FunctionValue | Known):
        frame.refuse("DYCL045", node, "types.MethodType() of what is no function")
    yield state, MethodValue(receiver, function)


@special(dataclasses.is_dataclass)
def is_dataclass(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.is_dataclass(value)``."""
    del frame, node, keywords
    (value,) = positional
    content = value.value if isinstance(value, Known) else class_of(state, value)
    yield state, Known(content is not None and dataclasses.is_dataclass(content))


@special(dataclasses.fields)
def fields(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.fields(value)``."""
    del keywords
    (value,) = positional
    content = value.value if isinstance(value, Known) else class_of(state, value)
    if content is None or not dataclasses.is_dataclass(content):
        error = TypeError("must be called with a dataclass type or instance")
        frame.run.raise_known(state, error)
        return
    yield state, Known(dataclasses.fields(content))


@special(dataclasses.replace)
def replace_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.replace(value, name=value)``."""
    kind = _kind_of(frame, node, state, positional[0], "replace")
    kept: list[str] = []
    for field in dataclasses.fields(kind):
        if field.init and field.name not in keywords:
            kept.append(field.name)
        elif not field.init and field.name in keywords:
            error = ValueError(
                f"field {field.name} is declared with init=False, "
                "it cannot be specified with replace()"
            )
            frame.run.raise_known(state, error)
            return
    for after, others in attributes_of(frame, node, state, positional[0], kept):
        given = {**keywords, **dict(zip(kept, others, strict=True))}
        yield from instantiate(frame, node, after, kind, [], given)


@special(dataclasses.asdict)
def asdict(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.asdict(value)``: containers and tensors are copies."""
    value = _exportable(frame, node, state, positional, keywords, "asdict")
    yield from exported(frame, node, state, value, as_tuples=False)


@special(dataclasses.astuple)
def astuple(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.astuple(value)``: containers and tensors are copies."""
    value = _exportable(frame, node, state, positional, keywords, "astuple")
    yield from exported(frame, node, state, value, as_tuples=True)


def _exportable(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords,
    name: str,
) -> Value:  # fmt: skip
    """Return the instance of a dataclass that is the only argument."""
    _kind_of(frame, node, state, positional[0], name)
    if keywords or len(positional) > 1:
        frame.refuse("DYCL059", node, f"a factory of its own for dataclasses.{name}()")
    return positional[0]


def _kind_of(frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str) -> type:
    """Return the class of an instance of a dataclass."""
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if not isinstance(cell, ObjectCell | RunTimeCell) or not dataclasses.is_dataclass(cell.kind):
        frame.refuse("DYCL059", node, f"dataclasses.{name}() of this object is not supported")
    return cell.kind


@special(copy.copy)
def copy_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``copy.copy(value)``."""
    del keywords
    yield from copied(frame, node, state, positional[0])


@special(copy.deepcopy)
def deepcopy(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``copy.deepcopy(value)``."""
    if keywords or len(positional) > 1:
        frame.refuse("DYCL059", node, "a memo for copy.deepcopy()")
    frame.run.effects += 1  # a call of the module around would copy a tensor without content
    yield from deep_copied(frame, node, state, positional[0])
