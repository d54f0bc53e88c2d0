"""A sub-DNN without run-time input vanishes; equal constants are held once."""

import torch

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(tensors=dict.fromkeys("xyz", (1, 4)), knowns={"torch": torch}, numbers=["p"])
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("y", "torch.full((1, 4), 0.5)"), end=jump(3))
    draft.block(2, tensor("y", "torch.ones(1, 4) / 2"), end=jump(3))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), 2.0),), (torch.full((1, 4), -2.0),)]
