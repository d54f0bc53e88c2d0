"""Named tuples: how they are made, and the methods that are made for their classes."""

import inspect
import types

import libcst as cst

from rewriter.evaluation.calls.misfits import misfit_of_class
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.containers.container_classes import passed_over_of_tuple
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import DictCell, Known, TupleValue, Value


def named_tuple(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``kind(arguments)``.

    Python takes defaults from ``kind.__new__``, whose ``__defaults__`` programs set;
    ``_field_defaults`` only tells what they were once.
    """
    refuse_passed_over(frame, node, kind, passed_over_of_tuple(kind))
    try:
        bound = inspect.signature(kind).bind(*positional, **keywords)
    except TypeError:
        error = misfit_of_class(kind.__new__, positional, keywords)
        frame.run.raise_known(state, error)
        return
    fields: tuple[str, ...] = getattr(kind, "_fields", ())
    parameters = bound.signature.parameters
    items = tuple(
        bound.arguments[name] if name in bound.arguments else Known(parameters[name].default)
        for name in fields
    )
    yield state, TupleValue(items, kind)


def refuse_passed_over(frame: Frame, node: cst.CSTNode, kind: type, reason: str | None) -> None:
    """Refuse a class that defines what is not evaluated."""
    if reason is not None:
        frame.refuse("DYCL050", node, f"instances of {kind.__name__} are not supported: {reason}")


def make(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, positional: list[Value]
) -> Outcomes:
    """Evaluate ``kind._make(items)``."""
    refuse_passed_over(frame, node, kind, passed_over_of_tuple(kind))
    if len(positional) != 1:
        frame.refuse("DYCL039", node, "_make() with these arguments is not supported")
    fields: tuple[str, ...] = getattr(kind, "_fields", ())
    for after, items in items_of(frame, node, state, positional[0]):
        if len(items) == len(fields):
            yield after, TupleValue(items, kind)
        else:
            text = f"Expected {len(fields)} arguments, got {len(items)}"
            frame.run.raise_known(after, TypeError(text))


def making_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of ``kind._make`` of a class of named tuples."""
    if not isinstance(content, types.MethodType) or content.__name__ != "_make":
        return None
    kind = content.__self__
    generated = content.__func__.__module__ == "collections"
    if not (generated and isinstance(kind, type) and issubclass(kind, tuple)):
        return None

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if keywords:
            frame.refuse("DYCL039", node, "_make() with these arguments is not supported")
        return make(frame, node, state, kind, positional)

    return call


def named_tuple_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TupleValue,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``_asdict``, ``_replace`` or ``_make`` of a named tuple."""
    fields: tuple[str, ...] = getattr(receiver.kind, "_fields", ())
    match name:
        case "_make":
            yield from make(frame, node, state, receiver.kind, positional)
        case "_asdict":
            items = dict(zip(fields, receiver.items, strict=True))
            yield state, frame.run.allocate(state, DictCell(items))
        case _:
            if unknown := [name for name in keywords if name not in fields]:
                error = ValueError(f"Got unexpected field names: {unknown!r}")
                frame.run.raise_known(state, error)
                return
            pairs = zip(fields, receiver.items, strict=True)
            replaced = tuple(keywords.get(name, item) for name, item in pairs)
            yield state, TupleValue(replaced, receiver.kind)
