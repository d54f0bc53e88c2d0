"""Programs that come to much: lists of several lengths exist at run time only."""

import pytest
import torch
from torch import Tensor, nn

from rewriter import CompileError, RewriteOptions, RewrittenProgram, rewrite
from rewriter.evaluation import dispatch


class Transducer(nn.Module):
    """Up to three labels for each frame of each line: thirteen lengths of each of two lists."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, 6)
        self.predictor = nn.LSTMCell(6, 6)
        self.joint = nn.Sequential(nn.Tanh(), nn.Linear(6, 5))

    def forward(self, frames: Tensor) -> list[list[int]]:
        lines: list[list[int]] = []
        for line in frames:
            labels: list[int] = []
            state, last = None, torch.zeros(1, 6)
            for frame in line:
                tried = 0
                while tried < 3:
                    ahead = self.predictor(last, state)
                    label = int(self.joint(frame + ahead[0]).argmax())
                    if label == 0:
                        break
                    labels.append(label)
                    state, last = ahead, self.embedding.weight[label][None]
                    tried += 1
            lines.append(labels)
        return lines


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
