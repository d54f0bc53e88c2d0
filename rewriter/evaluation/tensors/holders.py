"""Who holds a tensor object, where the object itself changes and not only what it holds."""

from collections.abc import Iterator

from rewriter.evaluation.run import Run
from rewriter.flattening import Flattening, Roots
from rewriter.on_the_way import leaves_on_the_way
from rewriter.rebuilding import refresh
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import TensorValue


def is_one_object(run: Run, state: State, tensor: TensorValue) -> bool:
    """Return whether a variable stands for one tensor object, whose holders are all known.

    Not so: an argument's, a kept one, one in a container of the host; and what is one of
    several tensors by a decision of run time, as long as others of them are live.
    """
    storages = run.storages
    if tensor.name in storages.callers | storages.contained or storages.may_be_held(tensor.fake):
        return False
    return not any(
        storage_key(other.fake) != storage_key(tensor.fake)
        and storages.may_coincide(other.fake, tensor.fake)
        for other in live_tensors(run, state)
    )


def become(run: Run, state: State, old: TensorValue, new: TensorValue) -> None:
    """Let a tensor object be what another one is, for all who hold it.

    It may be one of the caller's of a module: a call of that gives its results only.
    """
    run.effects += 1
    state.rename(old, new)
    refresh(state, run.live_frames())


def live_tensors(run: Run, state: State) -> Iterator[TensorValue]:
    """Yield what variables, containers and half-evaluated expressions hold, as it is now."""
    frames = run.live_frames()
    roots = Roots(frames=frames, attributes=tuple(state.attributes))
    for leaf in (*Flattening(state, roots).run().leaves, *leaves_on_the_way(state, frames)):
        if isinstance(leaf, TensorValue):
            yield state.current(leaf)
