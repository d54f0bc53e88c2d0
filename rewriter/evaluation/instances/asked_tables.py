"""One attribute is asked for: ``name in x.__dict__``, ``x.__dict__[name]``, ``x.__dict__.get``.

The dict of an object made before the call is not held, so that the call may write the object.
"""

import libcst as cst
import torch

from rewriter.evaluation.instances.known_tables import has_plain_table
from rewriter.evaluation.instances.own_lookups import own_lookup
from rewriter.evaluation.instances.registering import SET_UP
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.keeping.noting import note_read, resident
from rewriter.state import State
from rewriter.values import Known, Value

MISSING = object()
"""What an attribute is that an object has not itself."""


def owner_of_table(node: cst.CSTNode) -> cst.BaseExpression | None:
    """Return ``x`` where an expression is ``x.__dict__``, None for other expressions."""
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value="__dict__")):
            return owner
        case _:
            return None


def own_attribute(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: Value
) -> Value | None:
    """Return what an object's ``__dict__`` holds at this point: ``MISSING`` where it holds nothing.

    None is returned where the dict itself is to be looked at: of objects made in the call, which
    have one that is theirs, and for names that are known only at run time.
    """
    key = known_object(state, name)
    if not isinstance(owner, Known) or key is None or type(key.value) is not str:
        return None
    content, run, asked = owner.value, frame.run, key.value
    if not has_plain_table(type(content)) or own_lookup(type(content)) is not None:
        return None
    if isinstance(content, torch.nn.Module):
        if asked in SET_UP:
            return None
        if any(asked in t for t in (content._buffers, content._parameters, content._modules)):
            return Known(MISSING)
    run.attributes_read.append((content, asked))
    if (id(content), asked) in state.attributes:
        run.effects += 1
        return state.attributes[id(content), asked]
    note_read(run, content, asked, frame.origin(node))
    held: dict[str, object] = object.__getattribute__(content, "__dict__")
    if asked not in held:
        return Known(MISSING)
    path = None if owner.path is None else f"{owner.path}.{asked}"
    return resident(run, state, Known(held[asked], path))


def is_missing(value: Value) -> bool:
    """Return whether an object has no attribute of the name that was asked for."""
    return isinstance(value, Known) and value.value is MISSING
