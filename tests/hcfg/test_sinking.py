"""Sinking into arms asks what is dear to find out only where code could move."""

import pytest
import torch
from torch import nn

from dycl.api import optimised
from dycl.options import CompileOptions
from hcfg.ignored_operands import ignored_operands
from hcfg.pure_code import PureCode
from rewriter import rewrite
from rewriter.program import TensorStatement


class Mixing(nn.Module):
    """A layer of two operands."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.other = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.one(x).relu() + self.other(y)
        return result


class Deciding(nn.Module):
    """Goes on with what it began with, or with what its layers made of that, too."""

    def __init__(self, goes_on_with_layer: bool) -> None:
        super().__init__()
        self.first = Mixing()
        self.second = Mixing()
        self.goes_on_with_layer = goes_on_with_layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.first(x, x * 2)
        scores: torch.Tensor = self.second(made, x)
        if scores.sum().item() > 0.0:
            return scores
        return x * 3 + made if self.goes_on_with_layer else x * 3


@pytest.mark.parametrize(("goes_on_with_layer", "asks"), [(True, True), (False, False)])
def test_operands_are_looked_at_where_an_arm_wants_what_made_them(
    goes_on_with_layer: bool, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TensorStatement] = []

    def counted(statement: TensorStatement, code: PureCode) -> frozenset[str]:
        asked.append(statement)
        return ignored_operands(statement, code)

    monkeypatch.setattr("hcfg.passes.sink_into_arms.ignored_operands", counted)
    program = rewrite(Deciding(goes_on_with_layer).eval(), (torch.ones(2, 4),))
    optimised(program, CompileOptions())
    assert bool(asked) is asks
