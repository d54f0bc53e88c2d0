"""What the open ``try`` and ``with`` statements make of errors that depend on run-time values."""

import contextlib
from collections.abc import Iterator, Sequence

import torch

from rewriter.evaluation.control.passed_errors import OF_TENSORS, Kinds
from rewriter.evaluation.run import Frame

_OF_HOST = (ZeroDivisionError, ValueError, OverflowError, TypeError, IndexError, KeyError)
"""What operations on run-time values of the host may raise."""
_OF_CONTENT = (*OF_TENSORS, torch.linalg.LinAlgError)  # type: ignore[attr-defined]


@contextlib.contextmanager
def guarding(
    frame: Frame,
    caught: list[Kinds],
    ended: list[Kinds] | None = None,
    of_index: Sequence[Kinds] = (),
    *,
    blind: bool = False,
    looked: Sequence[Kinds] | None = None,
) -> Iterator[None]:
    """While a suite is executed whose run-time exceptions would be caught, say so.

    ``ended`` are those of what is caught of which another error may come, or none; ``of_index``
    those of which an IndexError comes; ``blind`` says that nobody looks at the error, and
    ``looked`` at which errors somebody may look, where that is better known.
    """
    ended = caught if ended is None else ended
    frame.run.protecting += 1
    host = any(issubclass(kind, group) for group in caught for kind in _OF_HOST)
    tensors = any(issubclass(kind, group) for group in ended for kind in _OF_CONTENT)
    told = not tensors and any(
        issubclass(kind, group) for group in of_index for kind in _OF_CONTENT
    )
    seen = not blind and any(issubclass(IndexError, group) for group in caught)
    looked = ([] if blind else caught) if looked is None else looked
    before = len(frame.run.risks.looked_at)
    depth = any(issubclass(RecursionError, group) for group in caught)
    frame.run.guarded += host
    frame.run.guarded_tensors += tensors or told
    frame.run.guarded_indices += told
    frame.run.guarded_blindly += blind and (tensors or told)
    frame.run.seen_indices += seen
    frame.run.risks.looked_at += looked
    frame.run.guarded_depth += depth
    frame.run.counted_depth += any(RecursionError in group for group in caught)
    try:
        yield
    finally:
        frame.run.counted_depth -= any(RecursionError in group for group in caught)
        frame.run.guarded_depth -= depth
        frame.run.guarded -= host
        del frame.run.risks.looked_at[before:]
        frame.run.seen_indices -= seen
        frame.run.guarded_blindly -= blind and (tensors or told)
        frame.run.guarded_indices -= told
        frame.run.guarded_tensors -= tensors or told
        frame.run.protecting -= 1
