"""What a tensor of the model holds, asked at compile time: ``math.ceil(self.span.max())``.

A module that asks is not called as one: exporters do not know what weights and buffers hold.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.run import Run

_ASKING = frozenset({torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default})


def note_asked(run: Run, content: object) -> None:
    """Record that a number or truth is read from a tensor known at compile time."""
    if isinstance(content, torch.Tensor):
        run.effects += 1


@contextmanager
def noting_questions(run: Run, given: object) -> Iterator[None]:
    """Record whether a function, run within, reads a number from a tensor among its arguments."""
    if not any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(given)):
        yield
        return
    questions = _Questions()
    with questions:
        yield
    run.effects += questions.asked


class _Questions(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own
    """Sees numbers being read from tensors."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.asked = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        self.asked |= func in _ASKING
        return func(*args, **(kwargs or {}))
