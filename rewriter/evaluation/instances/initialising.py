"""What ``__new__`` of a class gives, and what ``__init__`` does to it."""

import types

import libcst as cst
import torch

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.instances.data_classes import fields_set, has_generated_init
from rewriter.evaluation.instances.made_modules import initialise, require_initialised
from rewriter.evaluation.instances.user_classes import class_of, own_new, user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_leaf
from rewriter.state import State
from rewriter.values import Known, Reference, Value


def made_by_code(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``__new__`` of the user's: what it gives is initialised if it is an instance."""
    new = Known(own_new(kind))
    for after, made in call_value(frame, node, state, new, [Known(kind), *positional], keywords):
        given = class_of(after, made)
        if given is None or not issubclass(given, kind):
            yield after, made
            continue
        if isinstance(made, Reference):
            after.carry(made)
        yield from initialised(frame, node, after, given, made, positional, keywords)


def initialised(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    made: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``__init__`` of a class on an instance; yield the instance."""
    init = user_method(kind, "__init__")
    if init is None:
        yield from _by_inherited(frame, node, state, kind, made, positional, keywords)
        return
    outcomes = call_value(frame, node, state, Known(init), [made, *positional], keywords)
    for after, _ in outcomes:
        if issubclass(kind, torch.nn.Module) and isinstance(made, Reference):
            require_initialised(frame, node, after, made)
        yield after, made


def _by_inherited(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    made: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Do what an ``__init__`` does that no class of the user's defines."""
    new = own_new(kind)
    is_plain = not (has_generated_init(kind) or _inherits_init(kind))
    if not isinstance(made, Reference) and (new is None or not is_plain):
        frame.refuse("DYCL050", node, f"a {kind.__name__} that was there before is initialised")
    is_module = _inherits_init_of_module(kind) and not (positional or keywords)
    if is_module and isinstance(made, Reference):
        for after, _ in initialise(frame, node, state, made):
            yield after, made
    elif _inherits_init(kind):
        frame.refuse("DYCL050", node, f"__init__ of {kind.__name__} is that of a library")
    elif has_generated_init(kind) and isinstance(made, Reference):
        yield from fields_set(frame, node, state, kind, made, positional, keywords)
    elif issubclass(kind, BaseException) or new or not (positional or keywords):
        yield state, made
    else:
        frame.run.raise_known(state, TypeError(f"{kind.__name__}() takes no arguments"))


def _inherits_init_of_module(kind: type) -> bool:
    return class_member(kind, "__init__") is torch.nn.Module.__init__


def _inherits_init(kind: type) -> bool:
    """Return whether a library's Python code makes the instances, as with ``Thread``."""
    found = class_member(kind, "__init__")
    if not isinstance(found, types.FunctionType) or has_generated_init(kind):
        return False
    return is_leaf(found) and found.__module__ not in ("typing", "typing_extensions")
