"""Modules of the user's classes that are made in the call: objects that are called by ``forward``.

What ``nn.Module.__init__`` sets up besides (tables of parameters, hooks) is not there: programs
that look at it, or at what only a registered module does, are refused.
"""

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, Value

_OWN = ("__setattr__", "__getattr__", "__delattr__", "__call__")
"""What a class must leave to ``nn.Module``."""


def can_be_made(kind: type) -> bool:
    """Return whether modules of a class are their attributes and methods of the user's."""
    if library_class(kind) is not kind:
        return True
    bases = [base for base in kind.__mro__ if issubclass(base, nn.Module)]
    return all(base is nn.Module or not is_library(base.__module__) for base in bases) and not any(
        user_method(kind, name) for name in _OWN
    )


def initialise(frame: Frame, node: cst.CSTNode, state: State, made: Reference) -> Outcomes:
    """``nn.Module.__init__``: a new module is in training mode."""
    cell = state.heap[made.identity]
    assert isinstance(cell, ObjectCell)
    if cell.attributes:
        name = cell.kind.__name__
        frame.refuse("DYCL050", node, f"{name} has attributes before nn.Module.__init__ is called")
    frame.run.update(state, made, ObjectCell(cell.kind, {"training": Known(True)}))
    yield state, Known(None)


def require_initialised(frame: Frame, node: cst.CSTNode, state: State, made: Reference) -> None:
    """Refuse a module whose class does not call ``nn.Module.__init__``."""
    cell = state.heap[made.identity]
    assert isinstance(cell, ObjectCell)
    if "training" not in cell.attributes:
        frame.refuse("DYCL050", node, f"{cell.kind.__name__} does not call nn.Module.__init__")


def call_made_module(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    made: Reference,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """``module(arguments)``: nobody else holds the module, so it has no hooks."""
    for after, forward in get_attribute(frame, node, state, made, "forward"):
        yield from call_value(frame, node, after, forward, positional, keywords)
