"""One object of ``torch.autocast`` entered within itself; eager PyTorch stays in it ever after."""

import pytest
import torch

import dycl


def _within_itself(x: torch.Tensor) -> torch.Tensor:
    region = torch.autocast("cpu", dtype=torch.bfloat16)
    with region, region:
        y = x @ x.t()
    return y.float()


def test_regions_within_themselves_are_refused() -> None:
    with pytest.raises(dycl.CompileError, match="DYCL064") as refused:
        dycl.rewrite(_within_itself, (torch.ones(2, 2),))
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.origin is not None
    assert diagnostic.origin.text.strip() == "with region, region:"
