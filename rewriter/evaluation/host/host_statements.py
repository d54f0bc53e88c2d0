"""Statements of the host: emitted for a number, another object, a tensor, or for their effect."""

import ast

import torch

from rewriter.builder import tensor_spec
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.host.attempting import attempt
from rewriter.evaluation.host.before_errors import before_error
from rewriter.evaluation.host.numpy_errors import under_settings
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Run
from rewriter.host_types import PLAIN
from rewriter.origin import Origin
from rewriter.program import HostSpec, HostStatement, ScalarSpec
from rewriter.state import State
from rewriter.values import HostValue, ScalarValue, TensorValue


def host_scalar(
    run: Run,
    state: State,
    expression: ast.expr,
    kind: type | None,
    origin: Origin,
    *,
    effect: bool = False,
    may_raise: bool = True,
) -> ScalarValue:
    """Emit a host statement that gives a number."""
    known = None if kind is PLAIN else kind
    name = run.builder.variable("_number", ScalarSpec(type=known))
    emit_host(run, state, name, expression, origin, effect, may_raise=may_raise)
    return ScalarValue(name, known, plain=kind is PLAIN)


def host_value(
    run: Run,
    state: State,
    expression: ast.expr,
    sample: object,
    origin: Origin,
    *,
    effect: bool = False,
    may_raise: bool = True,
) -> HostValue:
    """Emit a host statement that gives any other host object."""
    spec = HostSpec(description=type(sample).__name__)
    name = run.builder.variable("_object", spec)
    emit_host(run, state, name, expression, origin, effect, may_raise=may_raise)
    return HostValue(name, sample)


def host_tensor(
    run: Run,
    state: State,
    expression: ast.expr,
    like: torch.Tensor,
    origin: Origin,
    any_size: frozenset[int] = frozenset(),
    *,
    effect: bool = True,
    may_raise: bool = True,
) -> TensorValue:
    """Emit a host statement that takes a tensor out of a host container.

    ``any_size`` are the dimensions in which it may differ from ``like``.
    """
    shape = [
        run.sizes.new() if place in any_size else size for place, size in enumerate(like.shape)
    ]
    fresh = run.storages.fresh_of_shape(like, shape) if any_size else None
    fake = run.storages.fresh_like(like) if fresh is None else fresh
    run.storages.mark_lasting(fake)
    name = run.builder.variable("_tensor", tensor_spec(fake))
    run.storages.contained.add(name)
    emit_host(run, state, name, expression, origin, effect, may_raise=may_raise)
    return TensorValue(name, fake)


def host_effect(
    run: Run, state: State, expression: ast.expr, origin: Origin, *, may_raise: bool
) -> None:
    """Emit a host statement that is run for its effect."""
    emit_host(run, state, None, expression, origin, True, may_raise=may_raise)


def emit_host(
    run: Run,
    state: State,
    target: str | None,
    expression: ast.expr,
    origin: Origin,
    effect: bool,
    *,
    may_raise: bool = True,
) -> None:
    """Emit a host statement; one that may raise is attempted where that may be caught.

    Without an effect it does not raise.
    """
    if may_raise and effect:
        given = _attempted(run, state, expression, origin)
        if given is None:
            note_risk(run, state, origin)
        elif target is None and given is not expression:
            return
        else:
            expression = given
    run.effects += 1
    expression = under_settings(run, state, expression)
    run.builder.emit(
        state.block,
        HostStatement(target=target, expression=expression, origin=origin, effect=effect),
    )


def _attempted(run: Run, state: State, expression: ast.expr, origin: Origin) -> ast.expr | None:
    """Return what an operation gives that was tried for a `try`; None where it is not."""
    if not run.guarded or run.frame.source.takes_what_is_there:
        return None
    return attempt(run, state, expression, origin)


def note_risk(run: Run, state: State, origin: Origin, *, of_torch: bool = False) -> None:
    """Refuse what may raise where that may be caught; else what was done before it is done.

    What PyTorch raises is a RuntimeError as a rule.
    """
    if run.frame.source.takes_what_is_there and not of_torch:
        return
    if run.guarded or (of_torch and run.guarded_tensors):
        raise Refused(
            Diagnostic(
                code="DYCL063",
                message="this may raise, depending on run-time values, inside a `try` that "
                "may catch it",
                origin=origin,
                help="test the value before the operation instead",
            )
        )
    before_error(run, state, origin)
