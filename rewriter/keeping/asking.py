"""Objects that Python asks itself: their own ``__repr__``, ``__hash__``, ``__eq__``, ``__index__``.

What is known is printed, compared and looked up while compiling, by Python: it calls such methods
of the user's, which see the objects as they were before the call.
"""

import dis
import types
from collections.abc import Iterable, Iterator
from typing import NoReturn
from weakref import WeakKeyDictionary

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Run
from rewriter.keeping.noting import note_read
from rewriter.keeping.reach import held_objects
from rewriter.known_paths import is_library
from rewriter.plain_objects import own_attributes
from rewriter.state import State
from rewriter.values import Known

_METHODS = frozenset(
    {"__repr__", "__str__", "__format__", "__hash__", "__eq__", "__ne__", "__lt__", "__le__",
     "__gt__", "__ge__", "__index__", "__int__", "__float__", "__complex__", "__bytes__"}
)  # fmt: skip
_CONTAINERS = (list, tuple, dict, set, frozenset)


def answers(kind: type) -> bool:
    """Return whether a class of the user's has methods that Python calls to look at an object."""
    return bool(_methods(kind))


def writing_method(kind: type) -> str | None:
    """Return the name of such a method that writes attributes or globals, None if none does."""
    return next((name for name, writes in _methods(kind).items() if writes), None)


def _methods(kind: type) -> dict[str, bool]:
    """Return the methods, and whether each writes."""
    if kind not in _FOUND:
        _FOUND[kind] = {
            name: _writes(found.__code__)
            for base in reversed(kind.__mro__)
            if base is not object and not is_library(base.__module__)
            for name in sorted(_METHODS.intersection(vars(base)))
            if isinstance(found := vars(base)[name], types.FunctionType)
        }
    return _FOUND[kind]


_FOUND: "WeakKeyDictionary[type, dict[str, bool]]" = WeakKeyDictionary()


def _writes(code: types.CodeType) -> bool:
    return any(each.opname in _WRITING for each in dis.get_instructions(code))


_WRITING = frozenset({"STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL"})


def note_asked(run: Run, state: State, content: object, lasts: bool) -> None:
    """Record that Python may ask an object, and those in a container, what only they know.

    ``lasts`` says that the container is one of the model's, not one made to be looked at now.
    """
    for each in _answering(run, content, lasts):
        word = type(each).__name__
        writing = writing_method(type(each))
        if writing is not None:
            _refuse(run, f"{word}.{writing}() may be called by Python while compiling, and writes")
        if run.plan.shared_names:
            _refuse(run, f"a method of {word} may read what calls leave in classes or files")
        stale = changed_here(run, state, each)
        if stale is not None:
            called = f"a method of {word} is called by Python"
            _refuse(run, f"{called}, which sees {stale!r} as it was before the call")


def _refuse(run: Run, message: str) -> NoReturn:
    origin, help = run.frame.statement_origin(), "compare, or show, the attributes of the object"
    raise Refused(Diagnostic(code="DYCL045", message=message, origin=origin, help=help))


def changed_here(run: Run, state: State, content: object) -> str | None:
    """Return an attribute, of an object or what it holds, that is another one than before.

    None where there is none so far; a write that comes later will have it kept.
    """
    origin = run.frame.statement_origin()
    held = run.asked.get(id(content))
    if held is None:
        held = run.asked[id(content)] = tuple(_held(content))
    if any(id(each) in run.residents for each in held):
        return type(content).__name__
    for each in held:
        own = {} if isinstance(each, _CONTAINERS) else dict(own_attributes(each))
        for name in [*own, *_written(run, each)]:
            known = state.attributes.get((id(each), name))
            if known is None:
                note_read(run, each, name, origin)
            elif not (isinstance(known, Known) and known.value is own.get(name)):
                return name
    return None


def _held(content: object) -> Iterator[object]:
    yield from (each for _, each in held_objects(content).values())


def _written(run: Run, content: object) -> Iterable[str]:
    return [name for key, name in run.written if key == id(content)]


def _answering(run: Run, content: object, lasts: bool) -> Iterable[object]:
    """Return the objects that answer themselves: one, or those in a container."""
    if type(content) not in _CONTAINERS:
        return (content,) if answers(type(content)) else ()
    if not lasts:
        return tuple(_within(content))
    if id(content) not in run.answering:
        run.answering[id(content)] = content, tuple(_within(content))
    return run.answering[id(content)][1]


def _within(content: object) -> Iterator[object]:
    pending, met = [content], set[int]()
    while pending:
        each = pending.pop()
        if type(each) in _CONTAINERS:
            if id(each) not in met:
                met.add(id(each))
                pending.extend(_items(each))
        elif answers(type(each)):
            yield each


def _items(content: object) -> Iterator[object]:
    if isinstance(content, dict):
        yield from content.keys()
        yield from content.values()
    elif isinstance(content, list | tuple | set | frozenset):
        yield from content
