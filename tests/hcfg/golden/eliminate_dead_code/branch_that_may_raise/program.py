"""A branch without consequences stays when its condition can raise."""

import torch

from tests.hcfg.programs import Draft, branch, give, host


def draft() -> Draft:
    draft = Draft(tensors={"x": (1, 4)}, knowns={}, numbers=["p"])
    draft.block(0, host("p", "x.sum().item()"), end=branch("1.0 / p > 0.0", 1, 1))
    draft.block(1, end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.ones(1, 4),), (torch.zeros(1, 4),)]
