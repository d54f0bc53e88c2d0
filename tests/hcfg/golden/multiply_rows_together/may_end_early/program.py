"""The loop may end before the last row, which is then multiplied for nothing."""

import torch
from torch import nn

from rewriter.program import SymbolRange
from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def with_exact_products(layer: nn.Module) -> nn.Module:
    """Return a layer of which products with integers are exact, in whatever order they are."""
    for weight in layer.parameters():
        weight.requires_grad_(False).copy_(torch.randint(-2, 3, weight.shape) / 64)
    return layer


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            "x": ("length", 1, 512),
            **dict.fromkeys(["row", "start", "h"], (1, 512)),
        },
        knowns={"cell": with_exact_products(nn.RNNCell(512, 512)), "torch": torch},
        counters=["t"],
        numbers=["p"],
        sizes={"size": "length"},
        symbols={"length": SymbolRange()},
        arguments=("x", "start"),
    )
    draft.block(0, copy(h="start", t="0"), host("size", "x.shape[0]"), end=jump(1))
    draft.block(1, end=branch("t < size", 2, 3))
    draft.block(
        2,
        tensor("row", "x[t]"),
        tensor("h", "cell(row, h)"),
        host("t", "t + 1"),
        host("p", "h[0, 0].item()"),
        end=branch("p > 0.5", 3, 1),
    )
    draft.block(3, end=give("h"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    torch.manual_seed(1)
    return [
        (torch.randint(-2, 3, (length, 1, 512)).float(), torch.zeros(1, 512))
        for length in (0, 1, 3)
    ]
