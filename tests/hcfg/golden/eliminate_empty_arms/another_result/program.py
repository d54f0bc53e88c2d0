"""Without rows the arm would give another result, so the test stays."""

from dataclasses import replace

import torch
from torch import nn

from rewriter.program import Branch, SymbolRange
from tests.hcfg.programs import Draft, branch, give, jump, tensor


def is_empty(size: str, if_true: int, if_false: int) -> Branch:
    """Test whether a size is 0."""
    return replace(
        branch(f"places_{size}.shape[0] == 0", if_true, if_false),
        sizes_if_true={size: SymbolRange(minimum=0, maximum=0)},
        sizes_if_false={size: SymbolRange(minimum=1)},
    )


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "out", "y"], (4, 8)),
            "places_a": ("a",),
            "places_b": ("b",),
        },
        knowns={"layer": nn.Linear(8, 8), "torch": torch},
        integers=["places_a", "places_b"],
        symbols={"a": SymbolRange(), "b": SymbolRange()},
    )
    draft.block(
        0,
        tensor("out", "x + 1"),
        tensor("places_a", "torch.nonzero(x[:, 0] > 0).squeeze(1)"),
        end=is_empty("a", 2, 1),
    )
    draft.block(1, tensor("out", "out * layer(x[places_a]).sum(0)"), end=jump(2))
    draft.block(2, tensor("y", "torch.tanh(out)"), end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    torch.manual_seed(1)
    x = torch.randn(4, 8)
    return [(x,), (x.abs(),), (-x.abs(),)]
