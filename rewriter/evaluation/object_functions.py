"""Library functions over objects of the program: namespaces, ``dataclasses``, ``copy``."""

import argparse
import types

import libcst as cst

from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.special_calls import Keywords, Positional, special
from rewriter.state import State
from rewriter.values import ObjectCell


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
