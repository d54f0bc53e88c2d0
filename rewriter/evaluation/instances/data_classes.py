"""Instances of dataclasses: the ``__init__`` that ``dataclass`` writes, and ``__post_init__``."""

import dataclasses
import inspect
import types
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.misfits import misfit_of_class
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Instance, Known, Reference, Value


def has_generated_init(kind: type) -> bool:
    """Return whether ``__init__`` of a class is the one that ``dataclass`` wrote for it."""
    found = inspect.getattr_static(kind, "__init__", None)
    if not dataclasses.is_dataclass(kind) or not isinstance(found, types.FunctionType):
        return False
    file = found.__code__.co_filename
    return file.startswith("<") or file == dataclasses.__file__


def fields_set(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    kind: type,
    reference: Reference,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate the ``__init__`` that ``dataclass`` writes for a new object; yield the object."""
    try:
        # of __init__, not of the class: its own class may have a __call__ with other parameters
        written = inspect.signature(kind.__init__)  # type: ignore[misc]
        bound = written.bind(reference, *positional, **keywords)
    except TypeError:
        error = misfit_of_class(kind.__init__, positional, keywords)  # type: ignore[misc]
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
        frame.run.update(state, reference, replace(cell, attributes=attributes))
        return [state]
    states = [state]
    for name, value in attributes.items():
        states = [
            after
            for before in states
            for after in set_attribute(frame, node, before, reference, name, value)
        ]
    return states
