"""What dicts and sets are asked for: by hash, which a tensor has by identity only."""

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.values import TensorValue, TupleValue, Value


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
