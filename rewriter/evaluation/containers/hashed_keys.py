"""What dicts and sets are asked for: by hash, which a tensor has by identity only."""

from collections.abc import Mapping

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import DictCell, Known, Reference, TensorValue, TupleValue, Value


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


def keys_of(state: State, container: Value) -> Mapping[object, object] | None:
    """Return a dict with the keys of a dict, None for anything else."""
    if isinstance(container, Reference):
        cell = state.heap[container.identity]
        return cell.items if isinstance(cell, DictCell) else None
    content = container.value if isinstance(container, Known) else None
    return dict(content.items()) if isinstance(content, dict) else None
