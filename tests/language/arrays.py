"""Inputs of a case as numpy arrays, for the host."""

import copy
from collections import OrderedDict
from typing import Any

import numpy as np
import torch


def to_numpy(value: Any, memo: dict[int, Any]) -> Any:
    """Return a value with numpy arrays for tensors; what was one object stays one object."""
    if id(value) in memo:
        return memo[id(value)]
    converted = _to_numpy(value, memo)
    memo[id(value)] = converted
    return converted


def _to_numpy(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, dict) and hasattr(value, "__dict__") and type(value) is not OrderedDict:
        own = memo[id(value)] = copy.copy(value)
        for key, item in value.items():
            dict.__setitem__(own, key, to_numpy(item, memo))
        vars(own).update({name: to_numpy(item, memo) for name, item in vars(value).items()})
        return own
    if isinstance(value, dict):
        kind = OrderedDict if type(value) is OrderedDict else dict
        return kind((key, to_numpy(item, memo)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(to_numpy(item, memo) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(to_numpy(item, memo) for item in value)
    if isinstance(value, torch.nn.Module | type | np.ndarray) or not hasattr(value, "__dict__"):
        return value
    result = memo[id(value)] = copy.copy(value)
    for name, item in vars(value).items():
        object.__setattr__(result, name, to_numpy(item, memo))
    return result
