"""Run-time leaves of a state: which variable holds one, and when two are the same value."""

import math
from collections.abc import Hashable, Sequence

import torch

from rewriter.values import HostValue, Known, ScalarValue, TensorValue, Value

_NUMBERS = (bool, int, float)


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
            # NaN is found in a list as the same object only.
            return (float, leaf.value.hex(), *([id(leaf.value)] if math.isnan(leaf.value) else []))
        case Known():
            return (type(leaf.value), leaf.value)
        case _:
            raise AssertionError(f"not a leaf: {leaf}")


def are_known_numbers(leaves: Sequence[Value]) -> bool:
    """Return whether all leaves are numbers known at compile time."""
    return all(isinstance(leaf, Known) and type(leaf.value) in _NUMBERS for leaf in leaves)


def is_known_text(leaf: Value) -> bool:
    """Return whether a leaf is a text known at compile time."""
    return isinstance(leaf, Known) and type(leaf.value) is str


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


def exact(key: object) -> Hashable:
    """Return what tells keys apart that are equal: 1, 1.0 and True."""
    match key:
        case tuple() if type(key) is tuple:
            return tuple(map(exact, key))
        case int() | float() | complex() if type(key) is not int:
            return (type(key), repr(key))
        case _:
            return key
