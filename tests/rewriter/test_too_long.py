"""A program that grows without end is refused, whatever it is made of."""

import pytest
import torch

from rewriter import RewriteOptions, rewrite
from rewriter.diagnostics import CompileError


def best_in_rows(x: torch.Tensor) -> list[int]:
    """Numbers of the host only: chosen rows of chosen rows, in loops within loops."""
    scores = x.tolist()
    chosen = [0] * len(scores)
    for row in range(1, len(scores)):
        best = 0
        while scores[best][chosen[row]] > scores[row][best]:
            for other in chosen:
                if scores[other][best] > scores[best][other]:
                    best = other
                    chosen[best] = row
        chosen[row] = best
    return chosen


def test_the_limit_ends_a_program_of_the_host_alone() -> None:
    """No tensor code comes after the list, and loops that are tried catch refusals."""
    with pytest.raises(CompileError) as caught:
        rewrite(best_in_rows, (torch.zeros(6, 6),), options=RewriteOptions(most_statements=1000))
    assert [found.code for found in caught.value.diagnostics] == ["DYCL022"]
    assert caught.value.diagnostics[0].origin is not None
