"""What real tensors hold, bit for bit."""

import hashlib

import torch
from torch.utils._python_dispatch import _disable_current_modes


def content_hash(tensor: torch.Tensor) -> str:
    """Return a digest of a tensor's elements, bit for bit."""
    return hashlib.sha256(content_bytes(tensor)).hexdigest()


def content_bytes(tensor: torch.Tensor) -> bytes:
    """Return the elements of a real tensor as bytes, in row-major order."""
    with _disable_current_modes():
        flat = torch.empty(tensor.numel(), dtype=tensor.dtype)
        flat.copy_(tensor.detach().reshape(-1))
        return flat.view(torch.uint8).numpy().tobytes()
