"""Objects with a hash of their own that are keys of dicts, or elements of sets.

CPython finds a key that has changed by the hash that it had, or by itself where that leads to its
slot: which slots there are is not modelled, nor how often operators of sets ask for equality.
"""

import builtins
import functools
import types

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.instances.generated_methods import hash_names
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.run import Frame
from rewriter.prelude import identity_keys, identity_sets
from rewriter.source import function_source
from rewriter.state import State
from rewriter.values import ListCell, ObjectCell, Reference, Value

STOOD_FOR = {**identity_keys.STOOD_FOR, **identity_sets.STOOD_FOR}


def has_own_hash(state: State, key: Value) -> bool:
    """Return whether a value is an object made in the call whose class says what its hash is.

    Not where its methods do more than to answer.
    """
    kind = class_of(state, key) if isinstance(key, Reference) else None
    if kind is None:
        return False
    methods = [user_method(kind, name) for name in ("__hash__", "__eq__")]
    written = methods[0] is not None or hash_names(kind) is not None
    return written and all(each is None or _only_answers(kind, each) for each in methods)


_ASKING = frozenset({
    "abs", "all", "any", "bool", "float", "frozenset", "getattr", "hasattr", "hash", "id", "int",
    "isinstance", "len", "max", "min", "repr", "round", "sorted", "str", "sum", "super", "tuple",
    "type", "zip",
})  # fmt: skip
_ASKED = frozenset({
    "all", "allclose", "any", "copy", "count", "cpu", "equal", "flatten", "get", "index", "item",
    "items", "join", "keys", "lower", "numpy", "split", "strip", "sum", "tobytes", "tolist",
    "upper", "values",
})  # fmt: skip
"""Methods that only answer, whatever the object is that has them: unless the class has its own."""


@functools.cache
def _only_answers(kind: type, method: types.FunctionType) -> bool:
    """Return whether nothing but its result can come of a method, as far as its text tells."""
    body = function_source(method).node.body
    return all(_is_harmless(kind, node) for node in descendants(body))


def _is_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_harmless(kind: type, node: cst.CSTNode) -> bool:
    match node:
        case cst.Call(func=cst.Name(value=name)):
            return name in _ASKING or _is_error(name)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
            return name in ("__eq__", "__hash__") or (
                name in _ASKED and user_method(kind, name) is None
            )
        case cst.AssignTarget(target=target) | cst.AugAssign(target=target):
            return isinstance(target, cst.Name)
        case cst.Call() | cst.Del() | cst.Global() | cst.Nonlocal() | cst.With() | cst.Yield():
            return False
        case _:
            return True


def refuse_change_of_key(frame: Frame, node: cst.CSTNode, state: State, owner: Value) -> None:
    """Refuse to write an attribute of an object that may be a key."""
    if not isinstance(owner, Reference) or not has_own_hash(state, owner):
        return
    made_here = isinstance(state.heap[owner.identity], ObjectCell)
    for table in [*state.heap.values()]:
        if not isinstance(table, ObjectCell) or table.kind not in STOOD_FOR:
            continue
        held = table.attributes.get("held")
        keys = state.heap.get(held.identity) if isinstance(held, Reference) else None
        # What a list of the host holds is an object of the host, too.
        known = keys.items if isinstance(keys, ListCell) else ()
        if not made_here or any(_is(item, owner) for item in known):
            frame.refuse("DYCL051", node, "an object is changed that is a key of a dict or set")


def _is(item: Value, owner: Reference) -> bool:
    return isinstance(item, Reference) and item.identity == owner.identity
