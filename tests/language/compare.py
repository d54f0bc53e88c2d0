"""Whether two results are the same: structure, types, dtypes, shapes and values."""

import copy
import dataclasses
import math
from collections import deque
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from enum import Enum
from typing import Any

import numpy as np
import torch

from rewriter.stand_ins import text_of

SKIPPED_ATTRIBUTES = frozenset({"training"})


Pairs = frozenset[tuple[int, int]]
"""Objects that are being compared: they may refer to each other."""


def difference(
    expected: Any,
    actual: Any,
    tolerance: float | None,
    path: str = "",
    inside: Pairs = frozenset(),
) -> str | None:
    """Return the first difference as text, or None.

    ``expected`` is what eager PyTorch gave. With ``tolerance`` None, ``actual`` ran under
    torch too and must be equal bit for bit; else it ran on the host, where numpy arrays
    stand for tensors and floats may differ by ``tolerance``.
    """
    if isinstance(expected, torch.Tensor):
        return _tensor(expected, actual, tolerance, path)
    if isinstance(expected, np.ndarray | np.generic):
        return _array(expected, actual, tolerance, path)
    if isinstance(expected, float) and type(actual) is float:
        same = _close(expected, actual, tolerance)
        return None if same else f"{path or 'result'}: {expected!r} became {actual!r}"
    if isinstance(expected, Enum):
        same = _member(expected, tolerance) == _member(actual, tolerance)
        return None if same else f"{path or 'result'}: {expected!r} became {actual!r}"
    if (text := text_of(expected)) is not None:
        return difference(text, text_of(actual) or actual, tolerance, path)
    if isinstance(expected, list | tuple | dict | deque):
        return _container(expected, actual, tolerance, path, inside)
    if isinstance(expected, KeysView | ValuesView | ItemsView | Iterator):
        if type(expected) is not type(actual):
            return f"{path or 'result'}: {expected!r} became {actual!r}"
        return difference(_looked_at(expected), _looked_at(actual), tolerance, path, inside)
    if isinstance(
        expected, bool | int | str | bytes | set | frozenset | range | type(None) | complex
    ):
        same = type(expected) is type(actual) and expected == actual
        return None if same else f"{path or 'result'}: {expected!r} became {actual!r}"
    return _object(expected, actual, tolerance, path, inside)


def _looked_at(value: Any) -> list[Any]:
    """Return the items of a window or iterator, which another comparison looks at, too."""
    return list(copy.deepcopy(value) if isinstance(value, Iterator) else value)


def _tensor(expected: torch.Tensor, actual: Any, tolerance: float | None, path: str) -> str | None:
    if tolerance is None:
        if not isinstance(actual, torch.Tensor):
            return f"{path or 'result'}: a tensor became {actual!r}"
        if actual.dtype != expected.dtype:
            return f"{path or 'result'}: {expected.dtype} became {actual.dtype}"
        actual = actual.detach().numpy()
    return _array(expected.detach().numpy(), actual, tolerance, path)


def _array(expected: Any, actual: Any, tolerance: float | None, path: str) -> str | None:
    place = path or "result"
    if not isinstance(actual, np.ndarray | np.generic):
        return f"{place}: an array became {actual!r}"
    if actual.dtype != expected.dtype:
        return f"{place}: {expected.dtype} became {actual.dtype}"
    if actual.shape != expected.shape:
        return f"{place}: shape {expected.shape} became {actual.shape}"
    bound = 0.0 if tolerance is None else tolerance
    if expected.dtype.kind in "fc":
        same = np.allclose(expected, actual, rtol=bound, atol=bound, equal_nan=True)
    else:
        same = np.array_equal(expected, actual)
    return None if same else f"{place}: {expected!r} became {actual!r}"


def _close(expected: float, actual: float, tolerance: float | None) -> bool:
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if tolerance is None:
        return expected == actual and math.copysign(1, expected) == math.copysign(1, actual)
    return math.isclose(expected, actual, rel_tol=tolerance, abs_tol=tolerance)


def _container(
    expected: Any, actual: Any, tolerance: float | None, path: str, inside: Pairs
) -> str | None:
    place = path or "result"
    if not _same_type(type(expected), actual, tolerance):
        return f"{place}: {type(expected).__name__} became {type(actual).__name__} ({actual!r})"
    if len(expected) != len(actual):
        return f"{place}: {len(expected)} items became {len(actual)}: {actual!r}"
    if getattr(expected, "default_factory", None) is not getattr(actual, "default_factory", None):
        return f"{place}: missing keys get something else"
    if isinstance(expected, dict):
        if [_member(k, tolerance) for k in expected] != [_member(k, tolerance) for k in actual]:
            return f"{place}: keys {list(expected)} became {list(actual)}"
        pairs = [(k, expected[k], v) for k, v in zip(expected, actual.values(), strict=True)]
    else:
        pairs = [(i, *both) for i, both in enumerate(zip(expected, actual, strict=True))]
    found = (
        difference(one, two, tolerance, f"{place}[{key!r}]", inside) for key, one, two in pairs
    )
    return next((text for text in found if text is not None), None)


def _member(value: Any, tolerance: float | None) -> Any:
    """Return what tells members of an enumeration apart: a host declares a class of its own."""
    if tolerance is None or not isinstance(value, Enum):
        return value
    return type(value).__name__, type(value).__mro__[-2].__name__, value.name, value.value


def _same_type(expected: type, actual: object, tolerance: float | None) -> bool:
    if expected.__module__ == "torch.return_types":
        return isinstance(actual, tuple)
    if expected is torch.Size:
        return isinstance(actual, tuple)
    if type(actual) is expected:
        return True
    return (
        tolerance is not None
        and type(actual).__name__ == expected.__name__
        and getattr(expected, "_fields", None) == getattr(actual, "_fields", None)
    )


def _object(
    expected: Any, actual: Any, tolerance: float | None, path: str, inside: Pairs
) -> str | None:
    place = path or "result"
    if type(expected).__name__ != type(actual).__name__:
        return f"{place}: {type(expected).__name__} became {type(actual).__name__}"
    if expected is actual or isinstance(expected, torch.nn.Module):
        return None
    pair = (id(expected), id(actual))
    if pair in inside:
        return None
    attributes = (_attributes(expected), _attributes(actual))
    return _container(*attributes, tolerance, place, inside | {pair})


def _attributes(value: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    slots: tuple[str, ...] = getattr(type(value), "__slots__", ())
    return {name: getattr(value, name) for name in slots} or {"repr": repr(value)}
