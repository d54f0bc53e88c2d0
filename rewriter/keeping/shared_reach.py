"""The objects that the program's code reaches by its files' variables, and how each is reached.

What a function's code names of its file, what classes have, and what functions were given as
defaults or have from around them exist once, however often the program is called. Names that a
function has nowhere in its code are left out.
"""

import types
from collections import deque
from collections.abc import Iterator, Mapping

from rewriter.keeping.reach import MOST_OBJECTS, held_objects, inner_names, own_of_function
from rewriter.known_paths import is_library, is_of_library

_Found = dict[int, tuple[str, object]]


def shared_objects(function: object, receiver: object) -> _Found:
    """Return the mutable objects outside of the model that its code reaches, by id, with paths."""
    found: _Found = {}
    seen: set[int] = set()
    pending: deque[tuple[str, object]] = deque([("", function)])
    pending.extend((type(each).__qualname__, type(each)) for each in _held(receiver))
    while pending and len(found) < MOST_OBJECTS:
        path, content = pending.popleft()
        if id(content) in seen or not _is_users(content):
            continue
        seen.add(id(content))
        if isinstance(content, types.FunctionType | type):
            pending.extend(_named_by(path, content, found))
            if isinstance(content, types.FunctionType):
                pending.extend(_attributes(path, content, found))
            continue
        for identity, (place, each) in held_objects(content, known=found).items():
            found.setdefault(identity, (f"{path}{_joint(place)}{place}", each))
            pending.append((type(each).__qualname__, type(each)))
            if isinstance(each, types.FunctionType):
                pending.append((each.__qualname__, each))
    return found


def is_held_by(
    content: object, owner: object, attribute: str, function: object, receiver: object
) -> bool:
    """Return whether an object of the model is reached by one attribute of another alone."""
    return id(content) not in held_objects(receiver, (id(owner), attribute)) and id(
        content
    ) not in shared_objects(function, receiver)


def _held(receiver: object) -> Iterator[object]:
    return (each for _, each in held_objects(receiver).values())


def _joint(place: str) -> str:
    return "." if place and not place.startswith("[") else ""


def _is_users(content: object) -> bool:
    if isinstance(content, type):
        return not is_library(content.__module__)
    if isinstance(content, types.FunctionType):
        return not is_of_library(content)
    return not isinstance(content, types.ModuleType | types.BuiltinFunctionType)


def _named_by(
    path: str, code: types.FunctionType | type, found: _Found
) -> Iterator[tuple[str, object]]:
    """Yield what a class has, and what the code of a function names or was given.

    What is ``found`` already is left out, where only objects lead to it.
    """
    if isinstance(code, type):
        yield from ((base.__qualname__, base) for base in code.__mro__[1:])
        yield from ((f"{path}.{name}", _behind(each)) for name, each in vars(code).items())
        return
    yield from _variables(code.__globals__, inner_names(code.__code__), frozenset())
    yield from held_objects(code, known=found).values()
    yield from ((f"{path}.{name}" if path else name, each) for name, each in _defaults(code))
    yield path, getattr(code, "__wrapped__", None)


def _attributes(
    path: str, function: types.FunctionType, found: _Found
) -> Iterator[tuple[str, object]]:
    """Yield what a function has as its attributes; it may get others, so it is ``found``."""
    path = path or function.__name__
    found.setdefault(id(function), (path, function))
    own = own_of_function(function).items()
    yield from ((f"{path}.{name}", each) for name, each in own)


def _defaults(code: types.FunctionType) -> Iterator[tuple[str, object]]:
    """Yield what parameters stand for where nothing is given."""
    given = code.__defaults__ or ()
    names = code.__code__.co_varnames[: code.__code__.co_argcount]
    # from the end: programs may set more than there are parameters
    yield from reversed(list(zip(reversed(names), reversed(given), strict=False)))
    yield from (code.__kwdefaults__ or {}).items()


def _variables(
    table: Mapping[str, object], names: frozenset[str], within: frozenset[str]
) -> Iterator[tuple[str, object]]:
    """Yield the variables of a file that code names, and those of the files that these are."""
    for name in sorted(names & table.keys()):
        content = table[name]
        if not isinstance(content, types.ModuleType):
            yield name, content
        elif content.__name__ not in within and not is_library(content.__name__):
            yield from _variables(vars(content), names, within | {content.__name__})


def _behind(content: object) -> object:
    """Return the function behind what a class has under a name."""
    if isinstance(content, staticmethod | classmethod):
        return content.__func__
    if isinstance(content, property):
        return content.fget
    return content
