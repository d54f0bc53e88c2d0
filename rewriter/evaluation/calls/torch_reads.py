"""What torch's own code reads of a module, and which code of the user's it runs."""

import functools
import types
from typing import Any

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.hook_tables import TABLES
from rewriter.evaluation.run import Frame
from rewriter.keeping.noting import note_read
from rewriter.known_paths import is_library, is_of_library
from rewriter.state import State

_NOT_CALLED = {"forward", "extra_repr", "reset_parameters", "flatten_parameters"}
"""Methods that torch's forward does not call, or for the layout of memory only."""

_ALL_PARTS = {"_modules", "children", "named_children", "modules", "named_modules", "getattr"}
"""With these, a module runs its parts without naming them."""


def is_leaf(module: nn.Module) -> bool:
    """Return whether a module and all its parts are torch's own."""
    return all(
        is_library(type(part).__module__)
        and is_of_library(type(part).forward)
        and "forward" not in vars(part)
        and not user_hooks(part)
        and not _overrides(part)
        for part in module.modules()
    )


def user_hooks(module: nn.Module) -> list[Any]:
    """Return the hooks of a module that are the user's."""
    hooks = [hook for table in TABLES for hook in getattr(module, table).values()]
    return [hook for hook in hooks if not _is_of_torch(hook)]


def _is_of_torch(hook: object) -> bool:
    """Return whether a hook is torch's; Python's own callables have what the user gave them."""
    is_wrapped = isinstance(hook, types.FunctionType) and not is_of_library(hook)
    return (_module_name(hook) or "").partition(".")[0] == "torch" and not is_wrapped


def _module_name(hook: object) -> str | None:
    name = getattr(hook, "__module__", None) or type(hook).__module__
    return name if isinstance(name, str) else None


def runs_users_code(module: nn.Module) -> bool:
    """Return whether the forward of torch's own classes would run what is the user's."""
    return _overrides(module) or not all(is_leaf(part) for part in _parts_run(module))


def _overrides(module: nn.Module) -> bool:
    """Return whether what torch's code of a layer names is the user's, by class or by instance."""
    kind: type = type(module)
    own = {name for name, value in vars(module).items() if _is_users(value)}
    own = own.union(*(vars(each) for each in kind.__mro__ if not is_library(each.__module__)))
    asked = _names_in_layers(kind) - _NOT_CALLED
    if not asked:
        return False
    called = {name for name in asked if not name.startswith("__")}
    return not own.isdisjoint(called | {"__getattr__", "__getattribute__"})


def _is_users(value: object) -> bool:
    """Return whether a value is the user's code to be called; parts are looked at as modules."""
    function = value.func if isinstance(value, functools.partial) else value
    is_called = callable(function) and not isinstance(function, nn.Module)
    return is_called and not is_library(_module_name(function))


def _parts_run(module: nn.Module) -> list[nn.Module]:
    """Return the children that the code of torch's own classes can run: it names no others."""
    kind: type = type(module)
    names = _names_in_layers(kind)
    if names & _ALL_PARTS:
        return list(module.children())
    return [part for name, part in module.named_children() if name in names]


def is_changed_here(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: nn.Module,
    *,
    unread: str = "",
    own_hooks: bool = True,
) -> bool:
    """Return whether the module or its parts, or a tensor of theirs, is not as it is stored.

    Asked where torch's code is about to run them: what it may read of them is noted, which is
    everything but ``unread``. ``forward`` does not run the ``own_hooks`` of the module itself.
    """
    kind: type = type(module)
    asks = own_hooks or "_forward_hooks" in _names_in_layers(kind)
    called = (part for part in module.modules() if asks or part is not module)
    hooked = frame.run.calls.hooks.differ(state, called)
    read = frame.run.plan.layers_read
    if not state.attributes and not read:
        return False
    held = (*module.modules(), *module.parameters(), *module.buffers())
    parts: dict[int, object] = {id(part): part for part in held}

    def is_read(identity: int, name: str) -> bool:
        return identity in parts and name != unread and _may_be_read(parts[identity], name)

    for identity, name in read - state.attributes.keys():
        if is_read(identity, name):
            note_read(frame.run, parts[identity], name, frame.origin(node))
    return hooked or any(is_read(identity, name) for identity, name in state.attributes)


def refuse_changed_text(frame: Frame, node: cst.CSTNode, state: State, module: nn.Module) -> None:
    """Refuse to say what a module prints, which shows its attributes, where a call sets one."""
    for part in module.modules():
        for name in vars(part):
            key = (id(part), name)
            if key in state.attributes or key in frame.run.plan.roots:
                what = f"{type(part).__name__}, whose {name} is set in calls,"
                frame.refuse("DYCL054", node, f"a {what} is formatted as text")
            note_read(frame.run, part, name, frame.origin(node))


def is_read_by_layer(module: nn.Module, name: str) -> bool:
    """Return whether a module is a layer of torch's whose code may read an attribute."""
    return bool(_layers(type(module))) and _may_be_read(module, name)


def _may_be_read(part: object, name: str) -> bool:
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


def _layers(kind: type) -> list[type]:
    """Return the classes of layers that a module inherits from torch, or another library."""
    common = (nn.Module, object)
    return [one for one in kind.__mro__ if is_library(one.__module__) and one not in common]


@functools.cache
def _names_in_layers(kind: type) -> frozenset[str]:
    return frozenset[str]().union(*map(_names_in, _layers(kind)))


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
