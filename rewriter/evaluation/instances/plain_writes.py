"""``object.__setattr__`` and ``nn.Module.__setattr__``, called by name.

The ``__setattr__`` of a class calls them so: ``super().__setattr__(name, value)``.
"""

from collections.abc import Sequence

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.attribute_assignment import refused_by_python, set_without_code
from rewriter.evaluation.instances.methods import call_named_method
from rewriter.evaluation.instances.registering import is_module, refuse_by_itself
from rewriter.evaluation.instances.user_classes import instance_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known, Reference, Value, with_attribute


@special(object.__setattr__)
def set_of_object(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``object.__setattr__(x, name, value)``: parameters and modules are not registered."""
    owner, named, value = _parts(frame, node, positional, keywords)
    known = known_object(state, named)
    if isinstance(owner, Known) and known is not None and isinstance(known.value, str):
        _refuse_unregistered(frame, node, state, owner.value, known.value, value)
        return _set(frame, node, state, owner, known.value, value)
    cell = instance_of(state, owner)
    if known is None or cell is None or not isinstance(owner, Reference):
        return call_named_method(frame, node, state, owner, "__setattr__", positional[1:], keywords)
    name = str(known.value)
    refuse_by_itself(frame, node, state, cell.kind, name, value)
    error = refused_by_python(frame, node, state, cell.kind, name, value)
    if error is not None:
        frame.run.raise_known(state, error)
        return iter(())
    frame.run.update(state, owner, with_attribute(cell, name, value))
    return iter([(state, NONE)])


@special(nn.Module.__setattr__)
def set_of_module(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``nn.Module.__setattr__(model, name, value)``."""
    owner, named, value = _parts(frame, node, positional, keywords)
    known = known_object(state, named)
    of_model = owner if isinstance(owner, Known) and isinstance(owner.value, nn.Module) else None
    if known is None or not isinstance(known.value, str) or of_model is None:
        frame.refuse("DYCL043", node, "nn.Module's __setattr__ of something made in the call")
    return _set(frame, node, state, of_model, known.value, value)


def _parts(
    frame: Frame, node: cst.CSTNode, positional: Positional, keywords: Keywords
) -> Sequence[Value]:
    """Return the object, the name and the value; refuse what Python does not take."""
    if len(positional) != 3 or keywords:
        given = len(positional) + len(keywords)
        frame.refuse(
            "DYCL043", node, f"__setattr__ takes an object, a name and a value, not {given}"
        )
    return positional


def _set(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known, name: str, value: Value
) -> Outcomes:
    for after in set_without_code(frame, node, state, owner, name, value):
        yield after, NONE


def _refuse_unregistered(
    frame: Frame, node: cst.CSTNode, state: State, owner: object, name: str, value: Value
) -> None:
    """Refuse what is not registered where ``nn.Module`` would, or hides what is."""
    if isinstance(owner, type):
        frame.refuse("DYCL043", node, f"{name!r} of a class is written")
    if not isinstance(owner, nn.Module):
        return
    tables = (owner._parameters, owner._buffers, owner._modules)
    is_parameter = isinstance(value, Known) and isinstance(value.value, nn.Parameter)
    if is_parameter or is_module(state, value) or any(name in table for table in tables):
        frame.refuse("DYCL043", node, f"{name!r} is stored in a module, which does not register it")
