"""The objects that a model holds, and how each is reached from it."""

import functools
import types
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress

import torch
from torch import nn

from rewriter.known_paths import is_library, is_of_library
from rewriter.plain_objects import has_slots, own_attributes

MOST_OBJECTS = 200_000
_CONTAINERS = (list, tuple, dict, set, deque)
_CALLING = (types.MethodType, functools.partial)


def held_objects(
    receiver: object,
    without: tuple[int, str] | None = None,
    known: Container[int] = (),
) -> dict[int, tuple[str, object]]:
    """Return the mutable objects that a model reaches, by id, with their paths from it.

    Those that are reached by one attribute alone are not among them where it is given by
    ``without``: the id of its object, and its name. Those in ``known`` are left out, by id, with
    all that only they reach.
    """
    found: dict[int, tuple[str, object]] = {}
    pending: deque[tuple[str, object]] = deque([("", receiver)])
    while pending and len(found) < MOST_OBJECTS:
        path, content = pending.popleft()
        if id(content) in found or id(content) in known or not _may_hold(content):
            continue
        found[id(content)] = (path, content)
        left_out = _dotted(path, without[1]) if without and id(content) == without[0] else None
        pending.extend(part for part in _parts(path, content) if part[0] != left_out)
    return found


def has_own_memory(content: object, held: Mapping[int, tuple[str, object]]) -> bool:
    """Return whether no other tensor of the model has the memory of this one."""
    if not isinstance(content, torch.Tensor):
        return True
    memory = content.untyped_storage().data_ptr()
    return not any(
        isinstance(other, torch.Tensor)
        and other is not content
        and other.untyped_storage().data_ptr() == memory
        for _, other in held.values()
    )


def _may_hold(content: object) -> bool:
    if isinstance(content, (nn.Module, torch.Tensor, *_CONTAINERS, *_CALLING)):
        return True
    if isinstance(content, types.FunctionType):
        given = content.__closure__ or content.__defaults__ or content.__kwdefaults__
        return bool(given or own_of_function(content)) and not is_of_library(content)
    has_attributes = hasattr(content, "__dict__") or has_slots(type(content))
    return has_attributes and not (
        isinstance(content, type) or is_library(type(content).__module__)
    )


def _parts(path: str, content: object) -> Iterator[tuple[str, object]]:
    match content:
        case torch.Tensor():
            return
        case dict():
            for key, item in content.items():
                yield f"{path}[{key!r}]", item
        case list() | tuple() | set() | deque():
            for index, item in enumerate(content):
                yield f"{path}[{index}]", item
        case types.FunctionType() | types.MethodType() | functools.partial():
            yield from _given(path, content)
        case _:
            for name, item in _attributes(content).items():
                yield _dotted(path, name), item
            if isinstance(content, nn.Module):
                yield from ((_dotted(path, "hook"), hook) for hook in _hooks(content))


def _given(
    path: str, function: types.FunctionType | types.MethodType | functools.partial[object]
) -> Iterator[tuple[str, object]]:
    """Yield what a function has besides its arguments of a call."""
    match function:
        case types.MethodType():
            yield path, function.__self__
        case functools.partial():
            yield path, function.func
            yield from ((f"{path}[{index}]", item) for index, item in enumerate(function.args))
            yield from ((_dotted(path, name), item) for name, item in function.keywords.items())
        case _:
            yield from _enclosed(function)
            own = own_of_function(function).items()
            yield from ((_dotted(path, name), item) for name, item in own)


def own_of_function(function: types.FunctionType) -> dict[str, object]:
    """Return the attributes that a program has given a function."""
    return {name: each for name, each in vars(function).items() if not name.startswith("__")}


def _enclosed(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    """Yield what a function has from the function that it is defined in, by its name there."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # not assigned yet
            yield name, cell.cell_contents


def inner_names(code: types.CodeType) -> frozenset[str]:
    """Return the names that code uses, with that of the functions defined in it."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return frozenset(code.co_names).union(*map(inner_names, inner))


def _hooks(module: nn.Module) -> Iterator[Callable[..., object]]:
    yield from module._forward_pre_hooks.values()
    yield from module._forward_hooks.values()


def _attributes(content: object) -> dict[str, object]:
    if not isinstance(content, nn.Module):
        return dict(own_attributes(content))
    own = {name: item for name, item in vars(content).items() if name not in _TABLES}
    return {**content._modules, **content._parameters, **content._buffers, **own}


_TABLES = frozenset(vars(nn.Module()))
"""nn.Module's own attributes."""


def _dotted(path: str, name: str) -> str:
    if name.isdigit():
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name
