"""Attributes of objects that exist at compile time: modules, classes, the model's own objects."""

import inspect
import threading
import types
from collections import OrderedDict, deque

import libcst as cst
import torch

from rewriter.class_members import class_member
from rewriter.evaluation.instances.class_attributes import computed_attribute, is_empty_slot
from rewriter.evaluation.instances.classes_of_classes import asked_of_class
from rewriter.evaluation.instances.known_tables import table_of_known
from rewriter.evaluation.instances.own_lookups import looked_up, own_lookup
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_attributes import refuse_of_class, tensor_attribute
from rewriter.keeping.noting import keep_object, note_buffers, note_read, resident
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import Known, MethodValue, TupleValue, Value

CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
     "setdefault", "popitem", "__setitem__", "__delitem__", "__iadd__", "appendleft",
     "popleft", "extendleft", "rotate", "add", "discard", "subtract", "move_to_end"}
)  # fmt: skip
"""Methods that change a container."""


def known_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, name: str
) -> Outcomes:
    """Evaluate an attribute of an object that exists at compile time."""
    content = value.value
    if isinstance(content, types.MethodType) and not hasattr(types.MethodType, name):
        path = None if value.path is None else f"{value.path}.__func__"
        value, content = (
            Known(content.__func__, path),
            content.__func__,
        )  # it may have been given it
    own = None if isinstance(content, torch.Tensor) else _own_lookup(frame, node, content)
    if own is None:
        return declared_attribute(frame, node, state, value, name)
    return looked_up(frame, node, state, own, value, type(content), name)


def _own_lookup(frame: Frame, node: cst.CSTNode, content: object) -> Known | None:
    """Return the ``__getattribute__`` that the class of an object has itself."""
    own = own_lookup(type(content))
    if own is not None and isinstance(content, torch.nn.Module | type | types.ModuleType):
        frame.refuse("DYCL039", node, f"{type(content).__name__} defines __getattribute__")
    return own


def declared_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, name: str
) -> Outcomes:
    """Evaluate an attribute as objects have it whose class does not look it up itself."""
    content = value.value
    refuse_of_thread(frame, node, content, name)
    frame.run.attributes_read.append((content, name))
    if (held := _held_here(frame, node, state, content, name)) is not None:
        yield state, held
        return
    if isinstance(content, torch.Tensor):
        refuse_of_class(frame, node, content, name)
        yield from tensor_attribute(frame, node, state, value, content, name)
        return
    own = _own_lookup(frame, node, content) is not None
    if not isinstance(content, type | types.ModuleType):
        _note_asked(frame, node, content, name)
    computed = _computed(frame, node, state, value, name, falls_back=not own)
    if computed is not None:
        yield from computed
        return
    if isinstance(content, deque | set | OrderedDict) and name in CHANGING:
        keep_object(frame.run, content)
    elif _is_method(content, name):
        yield state, MethodValue(value, name)
        return
    if not isinstance(content, type | types.ModuleType):
        _refuse_set_by_python(frame, node, content, name)
        if name == "__dict__" and hasattr(content, name):
            yield state, table_of_known(frame, node, state, value)
            return
        _check_table(frame, node, content, name)
        note_read(frame.run, content, name, frame.origin(node))
    try:
        found = object.__getattribute__(content, name) if own else getattr(content, name)
    except AttributeError as error:
        frame.run.raise_known(state, error)
        return
    path = None if value.path is None or _is_borrowed(found, content) else f"{value.path}.{name}"
    yield state, resident(frame.run, state, Known(found, path))


def _note_asked(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    """Record that an object has no attribute of a name so far: a ``__getattr__`` may be asked."""
    if class_member(type(content), "__getattr__") is None:
        return  # to look into an object may change it: a partial without a dict gets one
    found = inspect.getattr_static(content, name, None)
    if found is None or is_empty_slot(content, found):
        note_read(frame.run, content, name, frame.origin(node))


def _computed(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, name: str, *, falls_back: bool
) -> Outcomes | None:
    """Return what code of the user's says of an attribute, None where none is asked."""
    if isinstance(value.value, type | types.ModuleType):
        return asked_of_class(frame, node, state, value, name)
    kind = type(value.value)
    return computed_attribute(frame, node, state, value, kind, name, falls_back=falls_back)


def _held_here(
    frame: Frame, node: cst.CSTNode, state: State, content: object, name: str
) -> Value | None:
    """Return what the call has stored in an attribute, None where it has stored nothing."""
    key = (id(content), name)
    if key in state.attributes:
        frame.run.effects += 1  # the result is not that of the module as it is stored
        return state.attributes[key]
    hooks = frame.run.calls.hooks.known.get(key)
    if hooks is None:
        return None
    if not is_library(str(frame.globals.get("__name__"))):
        frame.refuse("DYCL039", node, f"{name} of a module on which the call registers hooks")
    return TupleValue(hooks.held(state))  # torch's code asks how many there are


def refuse_of_thread(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    """Refuse an attribute that is another one in each thread: the model is evaluated in its own."""
    if isinstance(content, threading.local):
        frame.refuse(
            "DYCL039",
            node,
            f"{name!r} of a {type(content).__name__}, which has other attributes in each thread",
            help="pass it as an argument, or keep it in an object of the model",
        )


def _is_method(content: object, name: str) -> bool:
    """Whether this is a method of a list, a dict or a text, or looks into a tuple."""
    if isinstance(content, tuple):
        return name in ("index", "count") and getattr(type(content), name) is getattr(tuple, name)
    found = getattr(content, name, None) if isinstance(content, list | dict | str) else None
    return name != "__class__" and callable(found)


def _is_borrowed(found: object, owner: object) -> bool:
    """Whether an attribute is a method of something else than its owner, as in ``self.f = g.f``.

    What it is a method of is not where the attribute was found.
    """
    if not isinstance(found, types.MethodType) or found.__self__ is owner:
        return False
    return not is_library(found.__func__.__module__)


def _check_table(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    if name in ("_buffers", "_parameters") and isinstance(content, torch.nn.Module):
        read_tensors(frame, node, content, name, " is read of")


def read_tensors(
    frame: Frame, node: cst.CSTNode, module: torch.nn.Module, asked: str, how: str
) -> None:
    """Refuse what shows tensors of a module as they were at compile time, if calls change them."""
    if frame.run.plan.keeps_any_of(asked):
        frame.refuse("DYCL067", node, f"{asked}{how} a model whose tensors change")
    if "parameter" not in asked:
        note_buffers(frame.run, module, frame.origin(node))


def _refuse_set_by_python(frame: Frame, node: cst.CSTNode, content: object, name: str) -> None:
    """Refuse what Python notes in an exception that it raises, unlike the host or this room."""
    noted: tuple[str, ...] = ()
    if isinstance(content, BaseException):
        noted = ("__cause__", "__context__", "__suppress_context__", "__traceback__")
    if isinstance(content, types.TracebackType):
        noted = (name,)
    if isinstance(content, AttributeError | NameError):
        noted += ("name", "obj")
    if name in noted:
        what = "a traceback" if isinstance(content, types.TracebackType) else "an exception"
        frame.refuse("DYCL039", node, f"{name} of {what} is not kept")
