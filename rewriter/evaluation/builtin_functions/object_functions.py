"""Library functions over objects of the program: namespaces, ``dataclasses``, ``copy``."""

import argparse
import copy
import dataclasses
import types

import libcst as cst

from rewriter.evaluation.builtin_functions.copying import copied, deep_copied, exported
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.instances import instantiate
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, Value


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
    cell = _instance(frame, node, state, positional[0], "replace")
    given = dict(keywords)
    for field in dataclasses.fields(cell.kind):
        if field.init and field.name not in given:
            given[field.name] = cell.attributes[field.name]
        elif not field.init and field.name in given:
            error = ValueError(
                f"field {field.name} is declared with init=False, "
                "it cannot be specified with replace()"
            )
            frame.run.raise_known(state, error)
            return
    yield from instantiate(frame, node, state, cell.kind, [], given)


@special(dataclasses.asdict, dataclasses.astuple)
def asdict(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``dataclasses.asdict(value)``: containers and tensors are copies."""
    _instance(frame, node, state, positional[0], "asdict")
    if keywords or len(positional) > 1:
        frame.refuse("DYCL059", node, "dict_factory")
    yield from exported(frame, node, state, positional[0])


def _instance(frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str) -> ObjectCell:
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    if not isinstance(cell, ObjectCell) or not dataclasses.is_dataclass(cell.kind):
        frame.refuse("DYCL059", node, f"dataclasses.{name}() of this object is not supported")
    return cell


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
    yield from deep_copied(frame, node, state, positional[0])
