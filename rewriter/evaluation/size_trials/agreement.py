"""Whether a run at numbers gives what a run with symbols foretells."""

from typing import Any

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.probes import Probe
from rewriter.evaluation.size_trials.symbolic import SymbolicRun
from rewriter.evaluation.size_trials.verdicts import Related
from rewriter.evaluation.tensors.size_grid import all_hold
from rewriter.size_expressions import expression_of
from rewriter.size_numbers import integer_at
from rewriter.sizes import UndecidedSize
from rewriter.storages import storage_key


def agreement(call: SizedCall, run: SymbolicRun, probe: Probe) -> Related | None:
    """Return which tensors share memory at these numbers only; None where results differ."""
    if isinstance(probe.error, UndecidedSize):
        return ()
    if run.error is not None or probe.error is not None:
        return () if run.error is not None and probe.error is not None else None
    if not all_hold(filter(call.is_own, run.required), probe.values):
        return None
    foretold, found = tree_leaves(run.result), tree_leaves(probe.result)
    if len(foretold) != len(found):
        return None
    values = dict(probe.values)
    if not all(_fits(one, two, values) for one, two in zip(foretold, found, strict=True)):
        return None
    return _memory(call, foretold, found, probe)


def _memory(call: SizedCall, foretold: list[Any], found: list[Any], probe: Probe) -> Related | None:
    """See which results share memory with which operands, with symbols and at numbers."""
    related: list[tuple[torch.Tensor, torch.Tensor]] = []
    ours = tree_leaves(call.operands)
    theirs = tree_leaves((probe.arguments, probe.keywords))
    for symbolic, actual in zip(foretold, found, strict=True):
        if not isinstance(symbolic, FakeTensor):
            continue
        for one, two in zip(ours, theirs, strict=True):
            if not isinstance(one, FakeTensor):
                continue
            shared = storage_key(symbolic) == storage_key(one)
            if storage_key(actual) == storage_key(two) and not shared:
                related.append((symbolic, one))
            elif shared and storage_key(actual) != storage_key(two) and actual.numel():
                return None
    return tuple(related)


def _fits(foretold: Any, found: Any, values: dict[sympy.Basic, int]) -> bool:
    """Compare one result; sizes that the operation made take the numbers they have here."""
    if isinstance(foretold, FakeTensor):
        return (
            isinstance(found, torch.Tensor)
            and foretold.dtype == found.dtype
            and foretold.dim() == found.dim()
            and all(
                _size_fits(one, two, values)
                for one, two in zip(foretold.shape, found.shape, strict=True)
            )
        )
    if isinstance(foretold, torch.SymInt):
        return _size_fits(foretold, found, values)
    if isinstance(foretold, bool | int | float | str | None):
        return type(foretold) is type(found) and bool(foretold == found)
    return type(foretold) is type(found)


def _size_fits(foretold: Any, found: Any, values: dict[sympy.Basic, int]) -> bool:
    if not isinstance(found, int):
        return True  # depends on the content at numbers, too
    expression = expression_of(foretold)
    if expression.is_Symbol and expression not in values:
        values[expression] = found
        return True
    at = integer_at(expression, values)
    return at is None or at == found
