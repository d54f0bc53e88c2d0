"""Programs that come to much: lists of several lengths exist at run time only."""

import pytest
import torch
from torch import Tensor

from rewriter import CompileError, RewriteOptions, RewrittenProgram, rewrite
from rewriter.evaluation import dispatch
from tests.language.programs.much_apart import Transducer


def as_many_dimensions(x: Tensor) -> Tensor:
    """Return a sum with a dimension for each positive number: how many must be known."""
    shape: list[int] = []
    for value in x:
        if value > 0:
            shape.append(1)
        x = x * 2 + value.sum() - x.mean()
    return x.sum().reshape(shape)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take little for much: the tests need not wait for two thousand variables."""
    monkeypatch.setattr(dispatch, "_MUCH", 60)


def _length(program: RewrittenProgram) -> int:
    return len(program.source.splitlines())


@pytest.mark.usefixtures("little")
def test_lists_of_many_lengths_are_lists_of_run_time() -> None:
    example = (torch.zeros(1, 2, 6),)
    program = rewrite(Transducer(), example)
    apart = rewrite(Transducer(), example, options=RewriteOptions(few_structures=False))
    assert program.few_structures
    assert not apart.few_structures
    assert _length(program) < _length(apart)


def test_they_stay_apart_in_what_does_not_come_to_much() -> None:
    example = (torch.zeros(1, 2, 6),)
    program = rewrite(Transducer(), example)
    apart = rewrite(Transducer(), example, options=RewriteOptions(few_structures=False))
    assert not program.few_structures
    assert program.source == apart.source


@pytest.mark.usefixtures("little")
def test_they_stay_apart_where_the_lengths_must_be_known() -> None:
    example = (torch.ones(6),)
    with pytest.raises(CompileError, match="DYCL"):
        rewrite(as_many_dimensions, example, options=RewriteOptions(few_structures=True))
    assert not rewrite(as_many_dimensions, example).few_structures
