"""Errors whose message shows a tensor: the host names its shape, and the user is told."""

from pathlib import Path

import pytest
import torch

import dycl


def finite(x: torch.Tensor) -> torch.Tensor:
    """Refuse what is not finite, with a message that shows it."""
    assert torch.isfinite(x).all(), f"not finite: {x}"
    if x.sum() > 100:
        raise ValueError(f"too large: {x}, {x.sum()}")
    return x * 2


def test_errors_name_the_shape(tmp_path: Path) -> None:
    """The error is the same but for the tensor's text."""
    compiled = dycl.compile(finite, (torch.ones(2),), output=tmp_path / "host_dycl")
    with pytest.raises(AssertionError, match=r"not finite: <float32 tensor of shape \(2\)>"):
        compiled(torch.tensor([1.0, float("nan")]))
    with pytest.raises(ValueError, match=r"too large: <float32 tensor of shape \(2\)>, 101.0"):
        compiled(torch.tensor([100.0, 1.0]))
    notes = dycl.rewrite(finite, (torch.ones(2),)).notes
    assert any("names the tensor's shape" in note for note in notes)
