"""Managers of libraries that change nothing, and what they give to ``as``."""

import contextlib

import torch
import torch.fx.traceback
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def grad_modes_give_nothing(x):
    """`with torch.no_grad() as mode`: None."""
    with torch.no_grad() as mode, torch.set_grad_enabled(False) as other:
        if x.sum() > 0:
            x = x + 1
    with torch.inference_mode() as third, torch.enable_grad() as fourth:
        return x, mode is None, other is None, third is None, fourth is None


@case(inputs=BOTH)
def nullcontext_of_a_tensor(x):
    """nullcontext gives what it is given, a run-time tensor too, and another one each way."""
    manager = contextlib.nullcontext(x * 2) if x.sum() > 0 else contextlib.nullcontext(x)
    with manager as y, contextlib.nullcontext() as nothing:
        return y + 1, nothing is None


@case(inputs=BOTH)
def nullcontext_of_a_list(x):
    """The list that nullcontext gives is the same list; the manager may be entered twice."""
    found = []
    manager = contextlib.nullcontext(enter_result=found)
    for row in x:
        with manager as same:
            if row.sum() > 0:
                same.append(row)
    return len(found), manager.enter_result is found


class _Settings:
    """Makes its managers before the call."""

    def __init__(self):
        self.scope = contextlib.nullcontext(3)
        self.mixed = torch.autocast("cpu", enabled=False)


@case(inputs=BOTH)
class ManagersOfTheModel(nn.Module):
    """Managers that were made in __init__."""

    def __init__(self):
        super().__init__()
        self.settings = _Settings()

    def forward(self, x):
        with self.settings.scope as scale, self.settings.mixed as mixed:
            if x.sum() > 0:
                x = x * scale
        return x, mixed is self.settings.mixed


@case(inputs=BOTH)
def nullcontext_of_too_much(x):
    """nullcontext takes one argument."""
    try:
        manager = contextlib.nullcontext(1, 2)
    except TypeError as error:
        return x, str(error)
    return x, manager  # never


@case(inputs=BOTH)
def default_device(x):
    """`with torch.device("cpu")`: where tensors are made anyway."""
    with torch.device(x.device) as device:
        y = torch.ones(3)
        if x.sum() > 0:
            y = y + torch.arange(3)
    return x + y, device.type


@case(inputs=BOTH, refused=True)
def another_device(x):
    """Tensors without content are made."""
    with torch.device("meta"):  # <- refused
        y = torch.ones(3)
    return x, y.shape


@case(inputs=BOTH)
def kernels_of_attention(x):
    """sdpa_kernel and sdp_kernel choose between kernels that give the same."""
    q = x.reshape(1, 1, 2, 3)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]) as chosen:
        q = F.scaled_dot_product_attention(q, q, q).round(decimals=3)
        if x.sum() > 0:
            q = q + 1
    with sdpa_kernel(backends=SDPBackend.MATH, set_priority=False):
        q = F.scaled_dot_product_attention(q, q, q).round(decimals=3)
    with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_mem_efficient=False):
        return F.scaled_dot_product_attention(q, q, q).round(decimals=3), chosen


@case(inputs=BOTH, refused=True)
def kernels_that_may_be_missing(x):
    """Without the plain kernel there may be none that works for these operands."""
    q = x.reshape(1, 1, 2, 3)
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):  # <- refused
        return F.scaled_dot_product_attention(q, q, q)


@case(inputs=BOTH, refused=True)
def old_kernels_that_may_be_missing(x):
    """The same, of the older manager."""
    q = x.reshape(1, 1, 2, 3)
    with torch.backends.cuda.sdp_kernel(True, False, True):  # <- refused
        return F.scaled_dot_product_attention(q, q, q)


@case(inputs=BOTH)
def kernels_of_nothing(x):
    """A call without backends raises."""
    try:
        with sdpa_kernel():  # known
            return x  # never
    except TypeError:
        return x + 1


@case(inputs=BOTH)
def flags_of_kernels(x):
    """Flags of cuDNN are what is read inside; on the CPU they change nothing."""
    with torch.backends.cudnn.flags(enabled=False, benchmark=True) as given:
        inside = torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark
        if x.sum() > 0:
            x = x + 1
    return x, inside, torch.backends.cudnn.enabled, given


@case(inputs=BOTH, refused=True)
def flags_that_are_missing(x):
    """A flag that there is not."""
    with torch.backends.cudnn.flags(fast=True):  # <- refused
        return x  # never


@case(inputs=BOTH, refused=True)
def flags_entered_twice(x):
    """Flags are set once by one manager."""
    flags = torch.backends.cudnn.flags(enabled=False)
    with flags:
        x = x + 1
    with flags:  # <- refused
        return x  # never


@case(inputs=BOTH)
def notes_for_graphs(x):
    """torch.fx.traceback.annotate notes something for tracers."""
    with torch.fx.traceback.annotate({"stage": 1}) as nothing:
        if x.sum() > 0:
            return x + 1, nothing
    return x, nothing
