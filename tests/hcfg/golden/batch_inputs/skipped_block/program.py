"""Each sub-DNN gets one for batches, but for the one whose results have a size of run time."""

from dataclasses import dataclass, replace

import torch
from torch import nn

from hcfg.graph import Hcfg
from tests.hcfg.programs import Draft, branch, give, jump, tensor


@dataclass
class Program:
    def graph(self) -> Hcfg:
        draft = Draft(
            tensors={"x": (1, 4), "gate": (1,), "chosen": ("n", 4), "y": (1, 4), "z": (1, 4)},
            knowns={"fc": nn.Linear(4, 4)},
        )
        draft.block(0, tensor("gate", "x.sum(1)"), end=branch("gate.item() > 0", 1, 2))
        draft.block(1, tensor("chosen", "x[x[:, 0] > 0]"), end=jump(3))
        draft.block(3, tensor("z", "chosen.sum(0, keepdim=True)"), end=give("z"))
        draft.block(2, tensor("y", "fc(x)"), end=give("y"))
        return replace(draft.graph(), many_inputs=True)


def draft() -> Program:
    return Program()


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.ones(1, 4),), (-torch.ones(1, 4),)]
