"""``hash``: a number, or one of this process that may only be compared."""

import enum

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.instances.generated_methods import hash_names
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.rendering import call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude.hashing import HashNumber, as_hash, hash_of_fields
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    Reference,
    ScalarValue,
    SetCell,
    TupleValue,
    Value,
)

_BY_VALUE = (bool, int, float, complex)
_OF_PROCESS = (str, bytes, type(None), type, enum.Enum)


@special(hash)
def hash_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``hash(x)``."""
    del keywords
    (value,) = positional
    kind = class_of(state, value)
    own = None if kind is None else user_method(kind, "__hash__")
    if own is not None:
        for after, result in call_value(frame, node, state, Known(own), [value], {}):
            yield from _as_hash(frame, node, after, result)
        return
    fields = None if kind is None else hash_names(kind)
    if fields is not None:
        given: list[Value] = [value, Known(tuple(fields))]
        yield from call_value(frame, node, state, Known(hash_of_fields), given, {})
        return
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    known = None if isinstance(cell, ListCell | DictCell | SetCell) else known_object(state, value)
    if known is None and _is_of_integers(value):
        yield state, _of_integers(frame, node, state, value)
        return
    if known is None and isinstance(value, TupleValue) and value.kind is tuple:
        yield from _of_tuple(frame, node, state, value)
        return
    unhashable = kind is not None and kind.__hash__ is None
    if unhashable or (known is not None and _is_unhashable(known.value)):
        found = _first_unhashable(known.value) if known is not None else kind
        error = TypeError(f"unhashable type: '{getattr(found, '__name__', found)}'")
        frame.run.raise_known(state, error)
    elif known is None or not _is_hashed_by_python(known.value):
        frame.refuse("DYCL045", node, "hash() of this object is not supported")
    elif _is_of_value(known.value):
        yield state, Known(hash(known.value))
    else:
        number = Known(hash(known.value))
        yield from call_value(frame, node, state, Known(HashNumber), [number], {})


def _is_of_integers(value: Value) -> bool:
    """Return whether a value is an integer, or a tuple of these and of known numbers."""
    if isinstance(value, TupleValue):
        return value.kind is tuple and all(map(_is_of_integers, value.items))
    if isinstance(value, Known):
        return _is_of_value(value.value)
    return isinstance(value, ScalarValue) and value.type in (bool, int)


def _of_integers(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> ScalarValue:
    """Return the hash of integers of run time, which is the same in each process."""
    function = frame.run.builder.reference(hash, "hash")
    made = call_expression(function, [render(frame.run, state, value)])
    return host_scalar(frame.run, state, made, int, frame.origin(node), may_raise=False)


def _of_tuple(frame: Frame, node: cst.CSTNode, state: State, value: TupleValue) -> Outcomes:
    """Return the hash of a tuple of integers of run time and known texts, which nobody computes."""
    others = [item for item in value.items if not _is_of_integers(item)]
    if not all(isinstance(each, Known) and isinstance(each.value, str) for each in others):
        frame.refuse("DYCL045", node, "hash() of this object is not supported")
    number = _of_integers(frame, node, state, value)
    yield from call_value(frame, node, state, Known(HashNumber), [number], {})


def _as_hash(frame: Frame, node: cst.CSTNode, state: State, result: Value) -> Outcomes:
    """Yield what ``hash`` makes of the result of a ``__hash__``."""
    is_integer = isinstance(result, Known) and isinstance(result.value, int)
    if is_integer or (isinstance(result, ScalarValue) and result.type in (bool, int)):
        yield from call_value(frame, node, state, Known(as_hash), [result], {})
        return
    if class_of(state, result) is not HashNumber:
        frame.refuse("DYCL045", node, "hash() of an object whose __hash__ gives what only runs say")
    yield state, result


def _is_unhashable(content: object) -> bool:
    return _first_unhashable(content) is not None


def _first_unhashable(content: object) -> type | None:
    """Return the class of the first part that has no hash."""
    if type(content) is tuple:
        found = (_first_unhashable(item) for item in content)
        return next((kind for kind in found if kind is not None), None)
    return type(content) if type(content).__hash__ is None else None


def _is_of_value(content: object) -> bool:
    """Return whether an object has the same hash in each process."""
    if type(content) is tuple:
        return all(map(_is_of_value, content))
    return type(content) in _BY_VALUE and content == content  # that of NaN is the object's


def _is_hashed_by_python(content: object) -> bool:
    """Return whether no method of the user's says what an object's hash is."""
    if type(content) in (tuple, frozenset):
        return all(map(_is_hashed_by_python, content))  # type: ignore[call-overload]
    if type(content).__hash__ is object.__hash__ or type(content) in _BY_VALUE:
        return True
    return isinstance(content, _OF_PROCESS) and user_method(type(content), "__hash__") is None
