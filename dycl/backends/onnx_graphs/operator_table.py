"""PyTorch's table of operators for the ONNX exporter, made once.

The exporter makes it anew in every call: it reads the source of 500 functions, which takes a
third of a second. The table has no public door, so it is replaced while an export runs; another
version of PyTorch that keeps it elsewhere exports as slowly as before.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache, partial
from typing import Any
from unittest import mock

import torch

_LOCK = threading.Lock()


@contextmanager
def table_made_once() -> Iterator[None]:
    """Give exports within this block copies of one table; one thread exports at a time."""
    registry = _registry()
    if registry is None:
        yield
        return
    with _LOCK:
        copies = partial(_copy, registry.from_torchlib)
        with mock.patch.object(registry, "from_torchlib", copies):
            yield


def _registry() -> Any | None:
    try:
        from torch.onnx._internal.exporter._registration import ONNXRegistry
    except ImportError:
        return None
    return ONNXRegistry if hasattr(ONNXRegistry, "from_torchlib") else None


def _copy(original: Callable[..., Any], *given: object, **named: object) -> Any:
    """Return the table, for one export to add to."""
    operators = frozenset(torch._C._dispatch_get_all_op_names())
    table = copy(_made(original, operators, given, tuple(named.items())))
    # what an export adds goes into these lists
    table.functions = {target: list(found) for target, found in table.functions.items()}
    return table


@cache
def _made(
    original: Callable[..., Any],
    operators: frozenset[str],
    given: tuple[object, ...],
    named: tuple[tuple[str, object], ...],
) -> Any:
    """Make the table of the operators that PyTorch has by now: imports add to them."""
    return original(*given, **dict(named))
