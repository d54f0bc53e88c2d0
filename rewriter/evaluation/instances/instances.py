"""Instances of user classes made during the call: plain, dataclass, named tuple, exception."""

import enum
import inspect
from dataclasses import replace

import libcst as cst
import torch

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.container_classes import passed_over
from rewriter.evaluation.containers.dict_methods import items_given
from rewriter.evaluation.containers.inherited_code import require_own
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.instances.data_classes import fields_set, has_generated_init
from rewriter.evaluation.instances.initialising import initialised, made_by_code
from rewriter.evaluation.instances.made_exceptions import new_object
from rewriter.evaluation.instances.made_modules import can_be_made
from rewriter.evaluation.instances.named_tuples import named_tuple, refuse_passed_over
from rewriter.evaluation.instances.own_lookups import can_look_up_itself
from rewriter.evaluation.instances.user_classes import own_new, user_method
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.known_paths import is_leaf, is_library, is_standard
from rewriter.plain_objects import holds_only_attributes, looks_up_itself
from rewriter.prelude.enums import member_of, member_or_else
from rewriter.state import State
from rewriter.values import NONE, DictCell, Known, ListCell, ObjectCell, Reference, Value


def instantiate(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``kind(arguments)`` for a class of the user's."""
    calls = user_method(type(kind), "__call__")
    if calls is not None:
        return call_value(frame, node, state, Known(calls), [Known(kind), *positional], keywords)
    if type(kind).__call__ is dict:  # a TypedDict
        return call_value(frame, node, state, Known(dict), positional, keywords)
    if type(kind).__call__ not in (type.__call__, enum.EnumType.__call__):
        frame.refuse("DYCL050", node, f"the class of {kind.__name__} makes instances its own way")
    return _made_by_type(frame, node, state, kind, positional, keywords)


@special(vars(type)["__call__"])
def type_call(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``type.__call__(kind, arguments)``, to which a class of classes hands on."""
    kind, *arguments = positional
    if not isinstance(kind, Known) or is_library(getattr(kind.value, "__module__", None)):
        frame.refuse("DYCL039", node, "type.__call__() of this object is not supported")
    return _made_by_type(frame, node, state, kind.value, arguments, keywords)


def _made_by_type(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        yield from named_tuple(frame, node, state, kind, positional, keywords)
        return
    _refuse_kind(frame, node, kind)
    if issubclass(kind, enum.Enum):
        yield from _enum_member(frame, node, state, kind, positional)
        return
    if issubclass(kind, list | dict):
        refuse_passed_over(frame, node, kind, passed_over(kind))
        yield from _builtin_subclass(frame, node, state, kind, positional, keywords)
        return
    if own_new(kind) is not None:
        yield from made_by_code(frame, node, state, kind, positional, keywords)
        return
    error = _not_made(kind)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    if kind.__new__ is not object.__new__ and not issubclass(kind, BaseException):
        frame.refuse("DYCL050", node, f"instances of {kind.__name__} are not supported")
    yield from _instance(frame, node, state, kind, positional, keywords)


def _not_made(kind: type) -> TypeError | None:
    """Return the error of making an instance of a class with methods that are left open."""
    if inspect.isabstract(kind):
        try:
            object.__new__(kind)
        except TypeError as error:
            return error
    return None


@special(object.__new__)
def object_new(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``object.__new__(kind)``, to which a ``__new__`` of the user's hands on."""
    first, *others = positional or (NONE,)
    kind = first.value if isinstance(first, Known) else None
    if not isinstance(kind, type) or not _is_plain(kind):
        frame.refuse("DYCL050", node, "object.__new__() of this class is not supported")
    _refuse_kind(frame, node, kind)
    error = _not_made(kind)
    if (others or keywords) and own_new(kind) is not None:
        error = TypeError("object.__new__() takes exactly one argument (the type to instantiate)")
    elif (others or keywords) and class_member(kind, "__init__") is object.__init__:
        error = TypeError(f"{kind.__name__}() takes no arguments")
    if error is not None:
        frame.run.raise_known(state, error)
        return
    yield state, frame.run.allocate(state, ObjectCell(kind, {}))


def _is_plain(kind: type) -> bool:
    """Return whether ``object.__new__`` makes instances of a class of the user's."""
    bases = (torch.nn.Module, BaseException, enum.Enum, tuple, list, dict)
    return not is_leaf(kind) and holds_only_attributes(kind) and not issubclass(kind, bases)


def _refuse_kind(frame: Frame, node: cst.CSTNode, kind: type) -> None:
    if issubclass(kind, torch.nn.Module) and not can_be_made(kind):
        frame.refuse(
            "DYCL050",
            node,
            f"a module ({kind.__name__}) is created during the call",
            "create modules in __init__",
        )
    for name in _blocked(kind):
        frame.refuse("DYCL050", node, f"{kind.__name__} sets its method {name} to None")
    replaced = [name for name in _REPLACED if user_method(kind, name)]
    if looks_up_itself(kind) and not can_look_up_itself(kind):
        replaced.append("__getattribute__")
    if issubclass(kind, torch.autograd.Function) or replaced:
        defines = f": its class defines {replaced[0]}" if replaced else ""
        frame.refuse("DYCL050", node, f"instances of {kind.__name__} are not supported{defines}")


_REPLACED = ("__del__",)
"""What is called when instances are given up: nothing is known of that here."""


def _blocked(kind: type) -> list[str]:
    """Return the operators that a class takes away from its instances: ``__iter__ = None``."""
    own = [base for base in kind.__mro__ if not is_standard(base.__module__)]
    names = sorted({name for base in own for name, value in vars(base).items() if value is None})
    return [name for name in names if name.startswith("__") and name not in _MAY_BE_NONE]


_MAY_BE_NONE = frozenset({"__doc__", "__hash__", "__match_args__", "__module__"})


_MISSING = vars(enum.Enum)["_missing_"].__func__
"""What raises for a value that no member has."""


def _enum_member(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type[enum.Enum],
    positional: list[Value],
) -> Outcomes:
    knowns = [known_object(state, value) for value in positional]
    plain = type(kind) is enum.EnumType and not issubclass(kind, enum.Flag)
    missing = getattr(kind._missing_, "__func__", None)
    if len(positional) == 1 and plain and missing is not _MISSING:
        arguments = [Known(kind), Known(missing), *positional]
        yield from call_value(frame, node, state, Known(member_or_else), arguments, {})
        return
    if None in knowns:
        if len(positional) != 1 or not plain:
            frame.refuse("DYCL050", node, "an enum member is chosen by a run-time value")
        yield from call_value(frame, node, state, Known(member_of), [Known(kind), *positional], {})
        return
    try:
        member = kind(*(known.value for known in knowns if known is not None))
    except ValueError as error:
        frame.run.raise_known(state, error)
        return
    yield state, Known(member)


def _instance(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    cell = new_object(frame, node, state, kind, positional, keywords)
    if cell is None:
        return
    reference = frame.run.allocate(state, cell)
    state.carry(reference)
    yield from initialised(frame, node, state, kind, reference, positional, keywords)


def _builtin_subclass(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    empty = ListCell((), kind) if issubclass(kind, list) else DictCell({}, kind)
    reference = frame.run.allocate(state, empty)
    state.carry(reference)
    init = user_method(kind, "__init__")
    if init is None and has_generated_init(kind):
        yield from fields_set(frame, node, state, kind, reference, positional, keywords)
        return
    if init is None:
        yield from fill(frame, node, state, reference, positional, keywords)
        return
    outcomes = call_value(frame, node, state, Known(init), [reference, *positional], keywords)
    for after, _ in outcomes:
        yield after, reference


def fill(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    reference: Reference,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``__init__`` of ``list`` and ``dict`` for a new object; yield the object."""
    cell = state.heap[reference.identity]
    assert isinstance(cell, ListCell | DictCell)
    if positional or keywords:
        require_own(frame, node, cell.kind, "__init__")
    match cell, positional:
        case ListCell(), []:
            yield state, reference
        case ListCell(), [iterable] if not keywords:
            for after, items in items_of(frame, node, state, iterable):
                frame.run.update(after, reference, replace(cell, items=items))
                yield after, reference
        case DictCell(), [] | [_]:
            for after, given in items_given(frame, node, state, positional):
                entries = {**cell.items, **given, **keywords}
                frame.run.update(after, reference, replace(cell, items=entries))
                yield after, reference
        case _:
            frame.refuse("DYCL050", node, "an object is made of these arguments")
