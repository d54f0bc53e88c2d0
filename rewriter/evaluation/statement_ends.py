"""The last thing that a statement does: to store into its last target, or to call a method.

``p = x[i - 1]; x[i] = p + 1``: what the statement has read it reads no more while it stores, so
memory of ``x`` that only ``p`` stands for, and that nothing reads later, does not matter. The same
while ``x[i].copy_(p + 1)`` runs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import libcst as cst

from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.storages import Storages, storage_key
from rewriter.values import MethodValue, TensorValue, Value


def is_stored_last(frame: Frame, target: cst.CSTNode) -> bool:
    """Return whether a statement ends with the assignment to a target."""
    match frame.statement:
        case cst.Assign(targets=targets):
            return targets[-1].target is target
        case cst.AugAssign(target=only):
            return only is target
        case _:
            return False


@contextmanager
def storing(frame: Frame, target: cst.CSTNode) -> Iterator[None]:
    """Let only variables live that may be read after the statement, if it ends with a target.

    What is stored, into what and where, the operation that stores holds itself.
    """
    with _nothing_left_to_read(frame, at_end=is_stored_last(frame, target)):
        yield


@contextmanager
def calling(
    frame: Frame, node: cst.Call, state: State, function: Value, arguments: Sequence[Value]
) -> Iterator[None]:
    """Do the same for a method of a tensor that is called for its effect.

    What lies in the memory of its operands, or is what these are parts of, is held as before.
    """
    statement = frame.statement
    at_end = (
        isinstance(statement, cst.Expr)
        and statement.value is node
        and isinstance(function, MethodValue)
        and isinstance(function.receiver, TensorValue)
        and isinstance(function.function, str)
    )
    if at_end:
        assert isinstance(function, MethodValue)
        memory = _memory_of(frame.run.storages, (function.receiver, *arguments))
        read = state.on_the_way
        frame.finish_reading(state)
        for value in read:
            if not isinstance(value, TensorValue) or storage_key(value.fake) in memory:
                state.carry(value)
    with _nothing_left_to_read(frame, at_end=at_end):
        yield


def _memory_of(storages: Storages, operands: Sequence[Value]) -> set[int]:
    """Return the storages of tensors, and of what they are parts of at integers of run time."""
    found: set[int] = set()
    for tensor in map(tensor_of, operands):
        while tensor is not None and storage_key(tensor) not in found:
            found.add(storage_key(tensor))
            part = storages.chosen.get(storage_key(tensor))
            tensor = None if part is None else part.source
    return found


@contextmanager
def _nothing_left_to_read(frame: Frame, *, at_end: bool) -> Iterator[None]:
    live = frame.live
    if at_end and frame.continuations:
        frame.live = frame.continuations[-1]
    try:
        yield
    finally:
        frame.live = live
