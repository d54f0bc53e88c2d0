"""A decision about a constant is folded, through copies, arithmetic and joins; others stay."""

import torch

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys(["x", "mask", "y"], (1, 1)),
        knowns={"gate": torch.tensor([[0.25]])},
        numbers=["p", "q", "r"],
    )
    draft.block(
        0,
        copy(mask="gate", r="1.0"),
        host("p", "mask.item()"),
        host("q", "x.item()"),
        end=branch("q > p", 1, 2),
    )
    draft.block(1, host("r", "p * 4.0"), end=jump(3))
    draft.block(2, copy(r="1.0"), end=jump(3))
    draft.block(3, end=branch("r == 1.0 and not p > 0.5", 4, 5))
    draft.block(4, tensor("y", "x * 2"), end=give("y"))
    draft.block(5, tensor("y", "x * 3"), end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 1), number),) for number in (-1.0, 2.0)]


UNREACHED = {"subdnn_1", "return_1"}
