"""Context managers and decorators around tensor code."""

import contextlib

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
class NoGradBlock(nn.Module):
    """with torch.no_grad() around a dynamic if; variables live on after it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            y = self.layer(x)
            if y.sum() > 0:
                y = y * 2
        return y, y.requires_grad


@case(inputs=BOTH)
class DecoratedForward(nn.Module):
    """@torch.no_grad() on forward and @torch.inference_mode() on a helper."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    @torch.inference_mode()
    def score(self, x):
        return self.layer(x).mean()

    @torch.no_grad()
    def forward(self, x):
        if self.score(x) > 0:
            return x
        return self.layer(x)


@case(inputs=BOTH)
def return_inside_with(x):
    """return and break leave with blocks."""
    with torch.no_grad():
        for i in range(2):
            with torch.set_grad_enabled(False):
                if x[i].sum() > 0:
                    break
        if x.sum() > 0:
            return x + i
    return x - i


@case(inputs=BOTH)
def grad_mode_function(x):
    """torch.set_grad_enabled and enable_grad as context managers; is_grad_enabled is known."""
    with torch.enable_grad():
        y = x * 2
    with torch.autocast("cpu", enabled=False):
        if y.sum() > 0:
            y = y + 1
    return y


@contextlib.contextmanager
def _recorded(log, name):
    log.append("enter " + name)
    try:
        yield name.upper()
    finally:
        log.append("exit " + name)


@case(inputs=BOTH)
def own_context_manager(x):
    """A generator-based context manager runs its halves around the body."""
    log = []
    with _recorded(log, "outer") as label, _recorded(log, "inner"):
        if x.sum() > 0:
            log.append(label)
            return x, log
    log.append("after")
    return -x, log


class _Timer:
    """A context manager class that counts its uses."""

    def __init__(self):
        self.uses = 0

    def __enter__(self):
        self.uses += 1
        return self

    def __exit__(self, kind, error, trace):
        self.uses += 10
        return kind is ValueError


@case(inputs=BOTH)
def context_manager_object(x):
    """__enter__ and __exit__ of an own class; a true result swallows the exception."""
    timer = _Timer()
    with timer as same:
        if x.sum() > 0:
            raise ValueError("swallowed")
        x = x * 2
    with contextlib.suppress(KeyError):
        {}["missing"]
        x = x * 3  # never
    with contextlib.nullcontext(5) as five:
        x = x + five
    return x, timer.uses, same is timer
