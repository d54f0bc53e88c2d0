"""A tensor of the shape of an input depends on no run-time value."""

import torch

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    draft = Draft(tensors=dict.fromkeys("xyz", (1, 4)), knowns={"torch": torch})
    draft.block(
        0,
        tensor("y", "torch.arange(x.shape[1]).reshape(x.shape) * 1.0"),
        tensor("z", "x * 2"),
        end=give("(y, z)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
