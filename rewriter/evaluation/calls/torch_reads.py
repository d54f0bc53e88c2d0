"""What torch's own code reads of a module, and which parts of it that code runs."""

import functools
import types

import libcst as cst
from torch import nn

from rewriter.evaluation.run import Frame
from rewriter.keeping.noting import note_read
from rewriter.known_paths import is_library
from rewriter.state import State


def is_changed_here(frame: Frame, node: cst.CSTNode, state: State, module: nn.Module) -> bool:
    """Return whether the module or its parts, or a tensor of theirs, is not as it is stored.

    Asked where torch's code is about to run them: what it may read of them is noted.
    """
    read = frame.run.plan.layers_read
    if not state.attributes and not read:
        return False
    held = (*module.modules(), *module.parameters(), *module.buffers())
    parts: dict[int, object] = {id(part): part for part in held}
    for identity, name in read - state.attributes.keys():
        if identity in parts and may_be_read(parts[identity], name):
            note_read(frame.run, parts[identity], name, frame.origin(node))
    return any(
        identity in parts and may_be_read(parts[identity], name)
        for identity, name in state.attributes
    )


def is_read_by_layer(module: nn.Module, name: str) -> bool:
    """Return whether a module is a layer of torch's whose code may read an attribute."""
    kinds = (kind for kind in type(module).__mro__[:-1] if kind is not nn.Module)
    return any(is_library(kind.__module__) for kind in kinds) and may_be_read(module, name)


def may_be_read(part: object, name: str) -> bool:
    """Return whether torch's code may read an attribute: it knows nothing of the user's own."""
    if not isinstance(part, nn.Module):
        return True
    if any(name in table for table in (part._parameters, part._buffers, part._modules)):
        return True
    kinds = type(part).__mro__
    library = [kind for kind in kinds if is_library(kind.__module__)]
    names = {each for kind in library for each in vars(kind)} - _NOT_CALLED
    own = {each for kind in kinds if kind not in library for each in vars(kind)}
    overridden = {each for each in own & names if not each.startswith("__")}
    return bool(overridden) or any(name in _names_in(kind) for kind in library)


_NOT_CALLED = {"forward", "extra_repr", "reset_parameters"}
"""Methods that torch's forward does not call."""


@functools.cache
def _names_in(kind: type) -> frozenset[str]:
    """Return all names, and words in quotes, in the code of a class."""
    functions: list[object] = []
    for value in vars(kind).values():
        if isinstance(value, property):
            functions += [value.fget, value.fset]
        else:
            functions.append(getattr(value, "__func__", value))
    pending = [f.__code__ for f in functions if isinstance(f, types.FunctionType)]
    found: set[str] = set()
    while pending:
        code = pending.pop()
        found.update(code.co_names, (each for each in code.co_consts if isinstance(each, str)))
        pending += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return frozenset(found)


def parts_run(module: nn.Module) -> list[nn.Module]:
    """Return the children that the code of torch's own classes can run: it names no others."""
    library = [kind for kind in type(module).__mro__[:-2] if is_library(kind.__module__)]
    names = frozenset[str]().union(*(_names_in(kind) for kind in library if kind is not nn.Module))
    if names & _ALL_PARTS:
        return list(module.children())
    return [part for name, part in module.named_children() if name in names]


_ALL_PARTS = {"_modules", "children", "named_children", "modules", "named_modules", "getattr"}
"""With these, a module runs its parts without naming them."""
