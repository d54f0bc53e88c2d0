"""PyTorch's choices of a kernel for attention, where all of them give the same."""

import contextlib


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """``torch.nn.attention.sdpa_kernel``."""
    yield {}


@contextlib.contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """``torch.backends.cuda.sdp_kernel``."""
    yield {}
