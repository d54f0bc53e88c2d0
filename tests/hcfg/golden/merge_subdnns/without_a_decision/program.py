"""What a folded branch leaves in two parts becomes one; a host number keeps parts apart."""

import torch
from torch import nn

from hcfg.graph import Hcfg
from hcfg.passes.eliminate_dead_code import EliminateDeadCode
from hcfg.report import Report
from tests.hcfg.programs import Draft, branch, from_host, give, host, jump, tensor


class Folded(Draft):
    """A draft without the branch that always goes one way."""

    def graph(self) -> Hcfg:
        return EliminateDeadCode().run(super().graph(), Report())


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Folded(
        tensors={**dict.fromkeys(["x", "y", "z", "w"], (1, 4)), "number": (2,)},
        knowns={"fc": nn.Linear(4, 4)},
        numbers=["p", "q"],
    )
    draft.block(0, tensor("y", "fc(x)"), host("q", "1.0"), end=branch("True", 4, 1))
    draft.block(4, tensor("y", "y * 2"), end=jump(1))
    draft.block(
        1,
        tensor("z", "fc(y)"),
        host("p", "z[0, 0].item()"),
        from_host("number", "[p, q]"),
        tensor("w", "z * number[0]"),
        end=branch("p > q", 2, 3),
    )
    draft.block(2, end=give("w"))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-5.0, 5.0)]
