"""What says which row is chosen is written to before the row is multiplied."""

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
            **dict.fromkeys(["place", "next_place"], (1,)),
            "rows": (1, 1, 512),
            **dict.fromkeys(["row", "start", "h", "y"], (1, 512)),
        },
        knowns={"layer": with_exact_products(nn.Linear(512, 512, bias=False)), "torch": torch},
        counters=["t"],
        integers=["place", "next_place"],
        sizes={"size": "length"},
        symbols={"length": SymbolRange(minimum=2)},
        arguments=("x", "start"),
    )
    draft.block(0, copy(h="start", t="0"), host("size", "x.shape[0]"), end=jump(1))
    draft.block(1, end=branch("t < size", 2, 3))
    draft.block(
        2,
        tensor("place", "torch.zeros(1, dtype=torch.int64)"),
        tensor("rows", "x[place]"),
        tensor("row", "rows.squeeze(0)"),
        tensor(None, "place.add_(1)", updates={"next_place": "place"}),
        tensor("y", "layer(row)"),
        tensor("h", "torch.tanh(h + y) + next_place"),
        host("t", "t + 1"),
        end=jump(1),
    )
    draft.block(3, end=give("h"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    torch.manual_seed(1)
    return [
        (torch.randint(-2, 3, (length, 1, 512)).float(), torch.zeros(1, 512)) for length in (2, 3)
    ]
