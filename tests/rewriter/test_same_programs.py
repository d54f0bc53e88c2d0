"""Two evaluations have left the same if their texts are the same, and the objects in these."""

from collections.abc import Callable

import torch

from rewriter import rewrite
from rewriter.printing.same_programs import is_same_program
from rewriter.program import RewrittenProgram


def _adding(table: torch.Tensor) -> RewrittenProgram:
    def add(x: torch.Tensor) -> torch.Tensor:
        return x + table

    function: Callable[[torch.Tensor], torch.Tensor] = add
    return rewrite(function, (torch.ones(2),))


def test_objects_that_no_import_reaches_are_compared() -> None:
    """Tensors by their content: each evaluation may have made its own."""
    first = _adding(torch.ones(2))
    assert is_same_program(first, _adding(torch.ones(2)))
    other = _adding(torch.zeros(2))
    assert other.source == first.source and not is_same_program(first, other)


def test_texts_are_compared() -> None:
    assert not is_same_program(
        rewrite(torch.nn.Sequential(torch.nn.ReLU()), (torch.ones(2),)), _adding(torch.ones(2))
    )
