"""Buffers that are resized and then forgotten: ``w.resize_as_(x)`` before ``w = x - y``.

What a tensor of another size holds is not certain in PyTorch. Nothing is done where nobody can
look: the name is bound anew before it is read, and nothing else holds the tensor.
"""

import libcst as cst

from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.run import Frame
from rewriter.flattening import Flattening, Roots
from rewriter.on_the_way import leaves_on_the_way
from rewriter.state import Next, State
from rewriter.values import TensorValue, Value


def forgotten_resize(frame: Frame, node: cst.CSTNode, state: State) -> list[Next] | None:
    """Return how a line goes on that resizes a tensor which nobody looks at; None for others."""
    match node:
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="resize_as_")),
                args=[cst.Arg(value=size, keyword=None, star="")],
            )
        ):
            tensor = state.frames[frame.identity].get(name)
        case _:
            return None
    if not isinstance(tensor, TensorValue) or not _is_forgotten(frame, state, name, tensor):
        return None
    outcomes = list(evaluate(frame, size, state))
    if not all(isinstance(value, TensorValue) for _, value in outcomes):
        return None
    return [Next(after) for after, _ in outcomes]


def _is_forgotten(frame: Frame, state: State, name: str, tensor: TensorValue) -> bool:
    run = frame.run
    later = frame.continuations[-1] if frame.continuations else None
    asks = run.plan.gradients_asked or any(run.grad_modes[-1:])
    if later is None or name in later or asks:
        return False
    storages = run.storages
    if storages.may_last(tensor.fake) or storages.may_be_exported(tensor.fake):
        return False
    if tensor.name in storages.callers | storages.contained:
        return False
    return not any(_is_same(state, leaf, tensor) for leaf in _held(frame, state, later))


def _held(frame: Frame, state: State, later: frozenset[str]) -> list[Value]:
    """Return what may still be read once the line is done."""
    frames = tuple(
        (identity, later if identity == frame.identity else names)
        for identity, names in frame.run.live_frames()
    )
    roots = Roots(frames=frames, attributes=tuple(state.attributes))
    return [*Flattening(state, roots).run().leaves, *leaves_on_the_way(state, frames)]


def _is_same(state: State, leaf: Value, tensor: TensorValue) -> bool:
    return isinstance(leaf, TensorValue) and state.current(leaf).name == state.current(tensor).name
