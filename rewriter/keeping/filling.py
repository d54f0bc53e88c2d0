"""What a first call surely puts into a table of a module: found by evaluation, not by the trial.

The call that is tried fills what its input has it fill, also under conditions on that input. It is
taken for what every first call does if evaluation puts the same there, piece by piece, whatever
the input, and goes on with what the call has put there.
"""

import copy
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from rewriter.plain_objects import own_attributes
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    TupleValue,
    Value,
)

_PLAIN = (bool, int, float, str, bytes)


@dataclass(frozen=True, slots=True)
class FirstCall:
    """What a call that was tried has put into containers outside of the model."""

    before: list[tuple[object, object]]
    after: list[tuple[object, object]]

    def undo(self) -> None:
        """Give everything outside of the model what it held before the call."""
        for each, before in self.before:
            give(each, before)

    def puts(self, state: State, holder: object, parts: list[tuple[object, Value]]) -> bool:
        """Put there what the call has put there, if that is what an evaluation puts there."""
        filled = [after for each, after in self.after if each is holder]
        return bool(filled) and all(
            [_put(state, holder, filled[0], key, made) for key, made in parts]
        )

    def is_complete(self) -> bool:
        """Return whether all that the call has put there was put there."""
        return all(_is_alike(content_of(each), after) for each, after in self.after)


_CONTAINERS = (list, deque, dict, OrderedDict, defaultdict, Counter, set)
_OF_MODULES = ("_parameters", "_buffers", "_modules")


def content_of(holder: object) -> object:
    """Return a copy of what an object outside of the model holds, its parts as they are."""
    if isinstance(holder, torch.Tensor):
        return holder.detach().clone()
    if type(holder) in _CONTAINERS:
        return copy.copy(holder)
    own = dict(own_attributes(holder))
    if isinstance(holder, torch.nn.Module):
        own |= {name: copy.copy(own[name]) for name in _OF_MODULES}
    return own


def give(holder: Any, before: Any) -> None:
    """Let an object hold what it held."""
    if isinstance(holder, torch.Tensor):
        if not torch.equal(holder, before):
            holder.detach().copy_(before)
    elif type(holder) in _CONTAINERS:
        holder.clear()
        add = holder.extend if isinstance(holder, list | deque) else holder.update
        add(before)
    else:
        now = dict(own_attributes(holder))
        for name in now.keys() - before.keys():
            object.__delattr__(holder, name)
        for name, content in before.items():
            if name not in now or now[name] is not content:  # others may not take any
                object.__setattr__(holder, name, content)


def _is_alike(now: Any, after: Any) -> bool:
    """Return whether two contents hold the same objects."""
    if isinstance(now, torch.Tensor):
        return torch.equal(now, after)
    if isinstance(now, dict):
        names = [name for name in _OF_MODULES if isinstance(now.get(name), dict)]
        return list(now) == list(after) and all(
            now[key] is after[key] or (key in names and _is_alike(now[key], after[key]))
            for key in now
        )
    if isinstance(now, set):
        return {id(each) for each in now} == {id(each) for each in after}
    return len(now) == len(after) and all(map(operator.is_, now, after))


def _put(state: State, holder: object, filled: object, key: Any, made: Value) -> bool:
    content: object
    if isinstance(holder, list) and isinstance(filled, list):
        if key != len(holder) or len(filled) <= key:
            return False
        content = filled[key]
        holder.append(content)
    elif isinstance(holder, dict) and isinstance(filled, dict):
        if key in holder or key not in filled:
            return False
        content = holder[key] = filled[key]
    else:
        return False
    return _is_as_made(state, made, content, ())


def put_by_method(
    state: State,
    content: list[object] | dict[object, object],
    name: str,
    positional: Sequence[Value],
    keywords: Mapping[str, Value],
) -> list[tuple[Value, Value]]:
    """Return what a method puts into a list or dict, under which keys; nothing where unclear."""
    if keywords or not positional:
        return []
    if isinstance(content, dict) and name == "setdefault":
        return [(positional[0], positional[1] if len(positional) > 1 else NONE)]
    if isinstance(content, list) and name == "append":
        return [(Known(len(content)), positional[0])]
    cell = state.heap.get(positional[0].identity) if isinstance(positional[0], Reference) else None
    if isinstance(content, list) and name == "extend" and isinstance(cell, ListCell):
        return [(Known(place), item) for place, item in enumerate(cell.items, len(content))]
    if isinstance(content, dict) and name == "update" and isinstance(cell, DictCell):
        return [(Known(key), item) for key, item in cell.items.items()]
    return []


def put_last(content: list[object] | dict[object, object]) -> object:
    """Return what was put last into a list or dict."""
    return list(content.values() if isinstance(content, dict) else content)[-1]


def _is_as_made(state: State, made: Value, content: object, around: tuple[int, ...]) -> bool:
    """Return whether an object is what an evaluation has made, with nothing put into it since."""
    match made:
        case Known(value=tuple() as known) if known is not content:
            whole = TupleValue(tuple(map(Known, known)), type(known))
            return _is_as_made(state, whole, content, around)
        case Known(value=value):
            plain = type(value) in _PLAIN and type(value) is type(content)
            return value is content or (plain and value == content)
        case TupleValue():
            held = dict(enumerate(content)) if isinstance(content, tuple) else {}
            parts = dict(enumerate(made.items))
            return type(content) is made.kind and _are(state, parts, held, around)
        case Reference() if made.identity not in around:
            return _is_cell(state, made, content, (*around, made.identity))
        case _:
            return False


def _is_cell(state: State, made: Reference, content: object, around: tuple[int, ...]) -> bool:
    match state.heap[made.identity]:
        case ListCell() as cell if type(content) is list and cell.kind is list:
            return _are(state, dict(enumerate(cell.items)), dict(enumerate(content)), around)
        case DictCell() as cell if type(content) is cell.kind and isinstance(content, dict):
            plain = not cell.attributes and cell.default_factory is None
            return plain and _are(state, cell.items, content, around)
        case ObjectCell() as cell if type(content) is cell.kind:
            held = dict(own_attributes(content))
            names = sorted(cell.attributes)
            parts = {name: cell.attributes[name] for name in names}
            return _are(state, parts, {name: held[name] for name in sorted(held)}, around)
        case _:
            return False


def _are(
    state: State, made: Mapping[Any, Value], held: Mapping[Any, Any], around: tuple[int, ...]
) -> bool:
    return list(made) == list(held) and all(
        _is_as_made(state, part, held[key], around) for key, part in made.items()
    )
