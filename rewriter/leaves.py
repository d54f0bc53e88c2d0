"""Run-time leaves of a state: which variable holds one, and when two are the same value."""

from collections.abc import Hashable

import torch

from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value


def residual_name(leaf: Value) -> str:
    """Return the residual variable of a run-time leaf."""
    if not isinstance(leaf, TensorValue | ScalarValue | HostValue):
        raise AssertionError(f"not a run-time leaf: {leaf}")
    return leaf.name


def leaf_key(leaf: Value) -> Hashable:
    """Return what makes two leaves the same value."""
    match leaf:
        case TensorValue() | ScalarValue() | HostValue():
            return leaf.name
        case Known() if isinstance(leaf.value, torch.Tensor):
            return ("tensor", id(leaf.value))
        case Known() if isinstance(leaf.value, float):
            return (float, leaf.value.hex())
        case Known():
            return (type(leaf.value), leaf.value)
        case _:
            raise AssertionError(f"not a leaf: {leaf}")


def is_tensor_leaf(leaf: Value) -> bool:
    """Return whether a leaf is a tensor."""
    return isinstance(leaf, TensorValue) or (
        isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor)
    )


def tensor_of_leaf(leaf: Value) -> torch.Tensor:
    """Return the fake or known tensor of a tensor leaf."""
    if isinstance(leaf, TensorValue):
        return leaf.fake
    assert isinstance(leaf, Known) and isinstance(leaf.value, torch.Tensor)
    return leaf.value
