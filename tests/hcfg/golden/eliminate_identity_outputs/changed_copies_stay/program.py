"""What shares storage with an input but is written to, or is another part of it, stays."""

import torch

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    draft = Draft(tensors={"x": (2, 4), "y": (4,), "z": (2, 4), "w": (4, 2)}, knowns={})
    draft.block(
        0,
        tensor("y", "x[1]"),
        tensor("w", "x.t()"),
        tensor("z", "x.view(2, 4)"),
        end=give("(y, w, z)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.randn(2, 4),)]
