"""Instances of dataclasses: the ``__init__`` that ``dataclass`` writes, and ``__post_init__``."""

import dataclasses
import inspect
import types
from dataclasses import replace

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.misfits import misfit_of_class
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Instance, Known, Reference, Value


def has_generated_init(kind: type) -> bool:
    """Return whether ``__init__`` of a class is the one that ``dataclass`` wrote for it."""
    found = class_member(kind, "__init__")
    if not dataclasses.is_dataclass(kind) or not isinstance(found, types.FunctionType):
        return False
    file = found.__code__.co_filename
    return file.startswith("<") or file == dataclasses.__file__


def class_of_written(state: State, function: types.FunctionType, receiver: Value) -> type | None:
    """Return the class that ``dataclass`` wrote an ``__init__`` for, None for other functions.

    It may be called by what was put in its place.
    """
    cell = state.heap[receiver.identity] if isinstance(receiver, Reference) else None
    if not isinstance(cell, Instance) or not function.__code__.co_filename.startswith("<"):
        return None
    return next(
        (
            kind
            for kind in cell.kind.__mro__
            if "__dataclass_fields__" in vars(kind)
            and (function.__module__, function.__qualname__)
            == (kind.__module__, f"{kind.__qualname__}.__init__")
        ),
        None,
    )


def fields_set(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    reference: Reference,
    positional: list[Value],
    keywords: dict[str, Value],
    init: types.FunctionType | None = None,
) -> Outcomes:
    """Evaluate the ``__init__`` that ``dataclass`` writes for a new object; yield the object."""
    init = init or kind.__init__  # type: ignore[misc]
    try:
        # of __init__, not of the class: its own class may have a __call__ with other parameters
        written = inspect.signature(init)
        bound = written.bind(reference, *positional, **keywords)
    except TypeError:
        error = misfit_of_class(init, positional, keywords)
        frame.run.raise_known(state, error)
        return
    attributes: dict[str, Value] = {}
    for field in dataclasses.fields(kind):
        if field.name in bound.arguments:
            attributes[field.name] = bound.arguments[field.name]
        elif field.default is not dataclasses.MISSING:
            attributes[field.name] = Known(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            made = list(call_value(frame, node, state, Known(field.default_factory), [], {}))
            if len(made) != 1:
                frame.refuse("DYCL050", node, "a default factory with a run-time test")
            state, attributes[field.name] = made[0]

    after_init = user_method(kind, "__post_init__")
    given = [reference, *_for_post_init(kind, bound)]
    for after in _stored(frame, node, state, kind, reference, attributes):
        if after_init is None:
            yield after, reference
            continue
        for done, _ in call_value(frame, node, after, Known(after_init), given, {}):
            yield done, reference


def _for_post_init(kind: type, bound: inspect.BoundArguments) -> list[Value]:
    """Return the arguments that are no fields (``InitVar``), in the order of the class."""
    declared: dict[str, dataclasses.Field[object]] = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return [
        bound.arguments.get(name, Known(field.default))
        for name, field in declared.items()
        if field._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
    ]


def _stored(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    reference: Reference,
    attributes: dict[str, Value],
) -> list[State]:
    """Set the fields of a new object, by the method that a class has for that."""
    # Attributes may be set by methods of the user's: a real cycle.
    from rewriter.evaluation.instances.attribute_assignment import set_attribute

    if user_method(kind, "__setattr__") is None:
        cell = state.heap[reference.identity]
        assert isinstance(cell, Instance)
        named = {**cell.attributes, **attributes}
        frame.run.update(state, reference, replace(cell, attributes=named))
        return [state]
    states = [state]
    for name, value in attributes.items():
        states = [
            after
            for before in states
            for after in set_attribute(frame, node, before, reference, name, value)
        ]
    return states
