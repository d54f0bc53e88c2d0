"""What PyTorch finds out anew each time it decomposes a program, found once.

``run_decompositions`` collects the composite operators of all namespaces, and puts kernels of
its own into each of these 500 for as long as it traces. For a small program that is most of
its work, a tenth of a second, and always the same. There is no public door: PyTorch's functions
are replaced while programs are decomposed, and another version of PyTorch that has them elsewhere
is as slow as before.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import torch

Kernels = dict[Any, Any]
"""The Python kernels of an operator, by dispatch key."""

_LOCK = threading.RLock()
_COLLECTING = "_collect_all_valid_cia_ops"
_OVERRIDING = "_override_composite_implicit_decomp"
_MOST = 8
"""How many tables of decompositions are remembered."""


@contextmanager
def decompositions_kept() -> Iterator[None]:
    """Have programs that are decomposed within this block share what does not change."""
    places = _places()
    if places is None:
        yield
        return
    program, tables, rules = places
    with _LOCK, ExitStack() as stack:
        collect = partial(_collected, getattr(tables, _COLLECTING))
        for module in (program, tables):
            stack.enter_context(mock.patch.object(module, _COLLECTING, collect))
        override = partial(_overridden, getattr(program, _OVERRIDING), rules)
        stack.enter_context(mock.patch.object(program, _OVERRIDING, override))
        yield


def composite_operators() -> tuple[object, ...]:
    """Return what the composite operators are known by: imports may add to them."""
    key = torch._C.DispatchKey.CompositeImplicitAutograd
    names = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
    spaces = [(name, getattr(torch.ops, name)) for name in torch.ops._dir]
    used = tuple((name, *getattr(space, "_dir", ())) for name, space in spaces if name != "aten")
    in_python = sum(key in operator.py_kernels for operator in _latest[1]) if _latest else 0
    return (*names, *used, in_python)


def _places() -> tuple[Any, Any, dict[Any, Any]] | None:
    """Return the modules that have what is replaced, and the rules for fake tensors."""
    try:
        from torch._subclasses.fake_impls import op_implementations_dict
        from torch.export import decomp_utils, exported_program
    except ImportError:
        return None
    wanted = ((decomp_utils, _COLLECTING), (exported_program, _COLLECTING))
    known = all(hasattr(*each) for each in (*wanted, (exported_program, _OVERRIDING)))
    return (exported_program, decomp_utils, op_implementations_dict) if known else None


_latest: tuple[object, set[Any]] | None = None
"""What the composite operators were known by, and the operators."""


def _collected(original: Callable[[], set[Any]]) -> set[Any]:
    global _latest
    key = composite_operators()
    if _latest is None or _latest[0] != key:
        found = original()
        _latest = None, found  # collecting loads operators
        _latest = composite_operators(), found
    return _latest[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What overriding changes about an operator."""

    before: Kernels
    after: Kernels
    rule: Any
    """For fake tensors."""


_remembered: list[tuple[Mapping[Any, Any], Mapping[Any, _Change]]] = []


@contextmanager
def _overridden(
    original: Callable[[Mapping[Any, Any]], AbstractContextManager[None]],
    rules: dict[Any, Any],
    decompositions: Mapping[Any, Any],
) -> Iterator[None]:
    """Put kernels into operators and take them out again, as PyTorch does, only faster."""
    changes = next((found for table, found in _remembered if table == decompositions), None)
    if changes is None or not all(
        operator.py_kernels == change.before and operator not in rules
        for operator, change in changes.items()
    ):
        with _remembering(original, rules, decompositions):
            yield
        return
    for operator, change in changes.items():
        operator.py_kernels.update(change.after)
        operator._dispatch_cache.clear()
        rules[operator] = change.rule
    try:
        yield
    finally:
        for operator, change in changes.items():
            operator.py_kernels.clear()
            operator.py_kernels.update(change.before)
            operator._dispatch_cache.clear()
            rules.pop(operator, None)


@contextmanager
def _remembering(
    original: Callable[[Mapping[Any, Any]], AbstractContextManager[None]],
    rules: Mapping[Any, Any],
    decompositions: Mapping[Any, Any],
) -> Iterator[None]:
    before = {operator: operator.py_kernels.copy() for operator in decompositions}
    new = [operator for operator in decompositions if operator not in rules]
    with original(decompositions):
        if len(new) == len(before):  # else PyTorch takes rules away that were there before
            changes = {
                operator: _Change(
                    before=kernels, after=operator.py_kernels.copy(), rule=rules[operator]
                )
                for operator, kernels in before.items()
            }
            _remembered[:] = [each for each in _remembered if each[0] != decompositions]
            _remembered[: -_MOST + 1] = []
            _remembered.append((dict(decompositions), changes))
        yield
