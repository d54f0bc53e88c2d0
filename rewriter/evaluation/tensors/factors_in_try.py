"""Factors and inverses of matrices inside of a ``try`` that catches their errors: asked before.

try:                                    if torch.linalg.cholesky_ex(x).info.any():
    factor = torch.linalg.cholesky(x)       what the clause says
except LinAlgError: ...             ->  factor = torch.linalg.cholesky(x)
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.prelude import factoring
from rewriter.state import State
from rewriter.values import Known, Value

_ASKED = (torch.float32, torch.float64)


def _asked_before(library: Callable[..., object], own: Callable[..., object], given: str) -> None:
    """Let the prelude ask before a function of torch is called where its error may be caught."""
    signature = inspect.signature(own)
    function = Known(library, given)

    @special(library)
    def rule(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        try:
            arguments = signature.bind(*positional, **keywords).arguments
        except TypeError:
            arguments = {}
        tensors = [tensor_of(value) for name, value in arguments.items() if name != "upper"]
        is_plain = bool(tensors) and all(x is not None and x.dtype in _ASKED for x in tensors)
        is_known = isinstance(arguments.get("upper", Known(False)), Known)
        states = [state]
        guards = frame.run.guarded_tensors
        if guards and is_plain and is_known:
            asked = call_value(frame, node, state, Known(own), positional, keywords)
            states = [after for after, _ in asked]
            guards = 0  # it raises nothing then
        for after in states:
            with _guarded(frame.run, guards):
                outcomes = list(call_torch(frame, node, after, function, positional, keywords))
            yield from outcomes


@contextmanager
def _guarded(run: Run, guards: int) -> Iterator[None]:
    """Let so many clauses catch what tensors' content raises."""
    before, run.guarded_tensors = run.guarded_tensors, guards
    try:
        yield
    finally:
        run.guarded_tensors = before


_asked_before(torch.linalg.cholesky, factoring.require_factor, "torch.linalg.cholesky")
_asked_before(torch.linalg.inv, factoring.require_inverse, "torch.linalg.inv")
_asked_before(torch.linalg.solve, factoring.require_solution, "torch.linalg.solve")
_asked_before(torch.inverse, factoring.require_inverse, "torch.inverse")
