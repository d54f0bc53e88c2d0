"""What dicts and sets are asked for: by hash, which a tensor has by identity only."""

from collections.abc import Iterable, Mapping

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.samples_of_kinds import told_name
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import DictCell, Known, Reference, TensorValue, TupleValue, Value, ViewValue


def require_hashed_by_value(frame: Frame, node: cst.CSTNode, key: Value) -> None:
    """Refuse run-time tensors as keys, also in tuples: ``==`` is not what decides there."""
    if _holds_tensor(key):
        frame.refuse(
            "DYCL051", node, "a dict or set is asked for a tensor, of which each is another key",
            "use numbers, strings and tuples of them: tensor.item()",
        )  # fmt: skip


def _holds_tensor(key: Value) -> bool:
    if isinstance(key, TupleValue):
        return any(map(_holds_tensor, key.items))
    return isinstance(key, TensorValue)


def not_hashed(frame: Frame, node: cst.CSTNode, state: State, item: Value) -> TypeError | None:
    """Return what Python raises for an object without a hash; refuse one that says what it is."""
    require_hashed_by_value(frame, node, item)
    kind = class_of(state, item) if isinstance(item, Reference) else None
    if kind is None:
        return None
    if kind.__hash__ is None:
        return TypeError(f"unhashable type: '{told_name(kind)}'")
    if user_method(kind, "__hash__") is not None or user_method(kind, "__eq__") is not None:
        what = f"a dict or set is asked for a {kind.__name__}, which has a hash of its own"
        frame.refuse("DYCL051", node, what)
    return None


def searched_as(container: Value) -> Value:
    """Return what is searched for a key: of torch's dicts of modules and parameters, the names."""
    content = container.value if isinstance(container, Known) else None
    search = getattr(type(content), "__contains__", None)
    if isinstance(content, nn.ModuleDict) and search is nn.ModuleDict.__contains__:
        return Known(dict.fromkeys(content._modules))
    if isinstance(content, nn.ParameterDict) and search is nn.ParameterDict.__contains__:
        return Known(dict.fromkeys(content._keys))
    return container


def keys_of(state: State, container: Value) -> Mapping[object, object] | None:
    """Return a dict with the keys of a dict, None for anything else."""
    if isinstance(container, Reference):
        cell = state.heap[container.identity]
        return cell.items if isinstance(cell, DictCell) else None
    content = container.value if isinstance(container, Known) else None
    if type(content) is dict:
        return content  # sys.modules is asked often, and is long
    return dict(content.items()) if isinstance(content, dict) else None


def keys_searched(state: State, container: Value) -> Iterable[object] | None:
    """Return what is in a set or a dict that is searched by hash, None for anything else."""
    if isinstance(container, ViewValue):
        viewed = Reference(container.identity)
        return keys_of(state, viewed) if container.part == "keys" else None
    if isinstance(container, Known) and isinstance(container.value, set | frozenset):
        return container.value
    return keys_of(state, container)
