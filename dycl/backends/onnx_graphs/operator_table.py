"""PyTorch's tables of operators and of decompositions for the ONNX exporter, made once.

The exporter makes them anew in every call: it reads the source of 500 functions, which takes a
third of a second, and the signatures of our own translations, which takes a tenth of that. The
tables have no public door, so they are replaced while an export runs; another version of
PyTorch that keeps them elsewhere exports as slowly as before.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import cache, lru_cache, partial, partialmethod
from typing import Any
from unittest import mock

import torch

from dycl.backends.scaling import ldexp
from dycl.capture.kept_decompositions import composite_operators

_LOCK = threading.Lock()
_DECOMPOSITIONS = "create_onnx_friendly_decomposition_table"


@contextmanager
def table_made_once() -> Iterator[None]:
    """Give exports within this block copies of the tables; one thread exports at a time."""
    with _LOCK, ExitStack() as stack:
        registry, decomposing = _registry(), _decomposing()
        if registry is not None:
            copies = partial(_copy, registry.from_torchlib)
            stack.enter_context(mock.patch.object(registry, "from_torchlib", copies))
            register = partialmethod(_register, registry.register_op)
            stack.enter_context(mock.patch.object(registry, "register_op", register))
        if decomposing is not None:
            copies = partial(_copied_decompositions, getattr(decomposing, _DECOMPOSITIONS))
            stack.enter_context(mock.patch.object(decomposing, _DECOMPOSITIONS, copies))
        yield


def _registry() -> Any | None:
    try:
        from torch.onnx._internal.exporter._registration import ONNXRegistry
    except ImportError:
        return None
    wanted = ("from_torchlib", "register_op")
    return ONNXRegistry if all(hasattr(ONNXRegistry, name) for name in wanted) else None


def _decomposing() -> Any | None:
    try:
        from torch.onnx._internal.exporter import _decomp
    except ImportError:
        return None
    return _decomp if hasattr(_decomp, _DECOMPOSITIONS) else None


def _copied_decompositions(
    original: Callable[..., dict[Any, Any]], translated: Collection[object]
) -> dict[Any, Any]:
    """Return the table of what is taken apart, for one export to change."""
    known = (composite_operators(), len(torch._decomp.decomposition_table))
    found = _decompositions(original, frozenset(translated), known)
    return {**found, torch.ops.aten.ldexp.Tensor: ldexp}


@lru_cache(maxsize=8)
def _decompositions(
    original: Callable[..., dict[Any, Any]], translated: frozenset[object], known: object
) -> dict[Any, Any]:
    """Make the table for a set of operators that the exporter translates itself."""
    return original(translated)


def _copy(original: Callable[..., Any], *given: object, **named: object) -> Any:
    """Return the table, for one export to add to."""
    operators = frozenset(torch._C._dispatch_get_all_op_names())
    table = copy(_made(original, operators, given, tuple(named.items())))
    # what an export adds goes into these lists
    table.functions = {target: list(found) for target, found in table.functions.items()}
    return table


def _register(
    table: Any,
    original: Callable[..., None],
    target: Any,
    function: Callable[..., Any],
    is_complex: bool = False,
) -> None:
    """Put a translation before all others of its operator, as the exporter does."""
    for name, found in _registered(original, table.__class__, target, function, is_complex).items():
        table.functions.setdefault(name, [])[:0] = found


@lru_cache(maxsize=1024)
def _registered(
    original: Callable[..., None],
    registry: Any,
    target: Any,
    function: Callable[..., Any],
    is_complex: bool,
) -> dict[Any, list[Any]]:
    """Return what one translation adds to an empty table."""
    table = registry()
    original(table, target, function, is_complex)
    return dict(table.functions)


@cache
def _made(
    original: Callable[..., Any],
    operators: frozenset[str],
    given: tuple[object, ...],
    named: tuple[tuple[str, object], ...],
) -> Any:
    """Make the table of the operators that PyTorch has by now: imports add to them."""
    return original(*given, **dict(named))
