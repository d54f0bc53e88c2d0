"""Tensor objects of the model that others hold when a call ends: callers, attributes, containers.

They would have to see it where the object gets other data in a later call. Who holds but the
memory of one does not.
"""

import torch

from rewriter.evaluation.run import Run
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.plan import StartAnew
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import TensorValue, Value


def note_objects_left(run: Run, state: State, leaving: tuple[Value, ...]) -> None:
    """Note which tensors of the model, that are kept themselves, others hold after a call.

    Those are the caller, who gets ``leaving``, and what else is kept.
    """
    if not run.storages.told_apart:
        return
    roots = [root for root in run.plan.roots.values() if root.key in state.attributes]
    objects = [root for root in roots if isinstance(root.content, torch.Tensor)]
    keys = tuple(root.key for root in roots if root not in objects)
    leaves = Flattening(state, Roots(frames=(), attributes=keys, extra=leaving)).run().leaves
    others = [state.current(leaf) for leaf in leaves if isinstance(leaf, TensorValue)]
    for root in objects:
        held = state.attributes[root.key]
        if root.key in run.plan.objects_left:
            continue
        if isinstance(held, TensorValue) and _may_be_held(run, state.current(held), others):
            run.plan.objects_left.add(root.key)
            raise StartAnew


def _may_be_held(run: Run, own: TensorValue, others: list[TensorValue]) -> bool:
    storages = run.storages
    if storages.may_be_held(own.fake) or own.name in storages.contained:
        return True
    return any(
        storages.may_coincide(own.fake, other.fake)
        and (
            own.name == other.name
            or storage_key(own.fake) != storage_key(other.fake)
            or other.name in storages.contained
        )
        for other in others
    )
