"""Attributes that a class checks as they are set: of exceptions, without a setter, of the type."""

import types

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, ScalarValue, TupleValue, Value

_HEAP_TYPE = 1 << 9
"""``Py_TPFLAGS_HEAPTYPE``: the class is made by a ``class`` statement."""


def checked_by_class(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, name: str, value: Value
) -> Exception | None:
    """Return what Python raises for ``instance.name = value``, None where it takes the value.

    Refused is what it takes but does not keep as it is.
    """
    found = class_member(kind, name)
    if isinstance(found, property) and found.fset is None:
        return _raised(kind, name, None)
    if name in ("__class__", "__dict__", "__weakref__"):
        frame.refuse("DYCL043", node, f"{name} of a {kind.__name__} is written")
    if not is_of_interpreter(found):
        return None
    sample = _sample(state, value)
    if sample is None:
        frame.refuse("DYCL043", node, f"{name!r} of a {kind.__name__} is written")
    error = _raised(kind, name, sample.value)
    if error is None and name == "args" and not isinstance(sample.value, tuple):
        frame.refuse("DYCL043", node, "the arguments of an exception become a tuple")
    return error


def is_of_interpreter(found: object) -> bool:
    """Return whether an attribute is kept by the interpreter: ``__cause__``, ``args``."""
    if not isinstance(found, types.GetSetDescriptorType | types.MemberDescriptorType):
        return False
    return not found.__objclass__.__flags__ & _HEAP_TYPE


def _raised(kind: type, name: str, value: object) -> Exception | None:
    maker = next(base for base in kind.__mro__ if not base.__flags__ & _HEAP_TYPE)
    instance = maker.__new__(kind)  # type: ignore[call-overload]
    try:
        setattr(instance, name, value)
    except (AttributeError, TypeError) as error:
        return error
    return None


def _sample(state: State, value: Value) -> Known | None:
    """Return an object of the value's kind, None where there is none."""
    known = known_object(state, value)
    if known is not None:
        return known
    match value:
        case ScalarValue() if value.type is not None:
            return Known(value.type())
        case TupleValue():
            return Known(())
        case Reference() if isinstance(cell := state.heap[value.identity], ObjectCell) and (
            issubclass(cell.kind, BaseException)
        ):
            return Known(Exception())
        case _:
            return None
