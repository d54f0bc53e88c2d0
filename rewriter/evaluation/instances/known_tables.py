"""The attributes that an object made before the call has itself: ``__dict__``, copies."""

import inspect
from collections.abc import Mapping

import libcst as cst
import torch

from rewriter.evaluation.instances.registering import SET_UP
from rewriter.evaluation.run import Frame
from rewriter.keeping.noting import note_read, resident
from rewriter.state import State
from rewriter.values import DictCell, Known, Reference, Value


def table_of_known(frame: Frame, node: cst.CSTNode, state: State, owner: Known) -> Reference:
    """Return ``owner.__dict__``, which the program may read.

    It would have to follow what is written to the object: so neither is written in the call.
    """
    content, run = owner.value, frame.run
    if isinstance(content, torch.nn.Module) or not has_plain_table(type(content)):
        kind = type(content).__name__
        frame.refuse("DYCL039", node, f"__dict__ of a {kind} made before the call")
    if any(key == id(content) for key, _ in (*run.written, *state.attributes)):
        frame.refuse("DYCL039", node, "__dict__ of an object whose attributes the call writes")
    made = run.allocate(state, DictCell(own_attributes(frame, node, state, owner)))
    run.lasting_cells.add(made.identity)
    run.containers.attributes.shown.add(id(content))
    return made


def has_plain_table(kind: type) -> bool:
    """Return whether instances of a class have a ``__dict__`` as Python makes it."""
    return inspect.isgetsetdescriptor(inspect.getattr_static(kind, "__dict__", None))


def own_attributes(
    frame: Frame, node: cst.CSTNode, state: State, owner: Known
) -> Mapping[str, Value]:
    """Return the attributes in an object's ``__dict__`` as they are at this point, in order."""
    content, run = owner.value, frame.run
    held: dict[str, object] = object.__getattribute__(content, "__dict__")
    named = (name for key, name in (*run.written, *state.attributes) if key == id(content))
    if any(name not in held for name in named):
        frame.refuse("DYCL039", node, "all attributes of an object to which the call adds some")
    run.containers.attributes.looked_through.add(id(content))
    found: dict[str, Value] = {}
    for name, item in held.items():
        run.attributes_read.append((content, name))
        if (id(content), name) in state.attributes:
            run.effects += 1
            found[name] = state.attributes[id(content), name]
        else:
            note_read(run, content, name, frame.origin(node))
            path = None if owner.path is None else f"{owner.path}.{name}"
            found[name] = resident(run, state, Known(item, path))
    return found


def refuse_unseen_write(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    """Refuse to write an attribute that a table, or a look at all attributes, does not show.

    Nor is any of a module's own tables replaced: its parts and hooks are known.
    """
    if isinstance(content, torch.nn.Module) and name in SET_UP:
        frame.refuse("DYCL034", node, f"{name} of a {type(content).__name__} is replaced")
    tables = frame.run.containers.attributes
    if id(content) in tables.shown:
        frame.refuse("DYCL039", node, "an attribute is written of an object whose __dict__ is read")
    if id(content) in tables.looked_through and name not in vars(content):
        frame.refuse("DYCL039", node, "an attribute is added to an object that is read as a whole")
