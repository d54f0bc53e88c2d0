"""What modules ask aside: whether they are traced, and whether an input fits."""

import importlib.metadata
import importlib.util
import os

import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def tracing(x):
    """Nothing is traced or scripted while the program runs."""
    if torch.jit.is_tracing() or torch._C._is_tracing() or torch.jit.is_scripting():  # known
        return x * 2  # never
    if get_proxy_mode() is not None:  # known
        return x * 3  # never
    if torch._C._get_tracing_state() is None and x.sum() > 0:  # known
        return x + 1
    return x


class _Norm(nn.BatchNorm1d):
    """Asks as its base does, and goes on by itself."""

    def forward(self, x):
        self._check_input_dim(x)
        return super().forward(x) if x.sum() > 0 else x


@case(inputs=BOTH)
class OwnNorm(nn.Module):
    """The check of the base class raises, or does nothing."""

    def __init__(self):
        super().__init__()
        self.norm = _Norm(3)

    def forward(self, x):
        try:
            self.norm(x[0])
        except ValueError as error:
            return self.norm(x), str(error)


@case(inputs=BOTH)
def usage_counted(x):
    """PyTorch counts who calls some of its functions, and does nothing else"""
    torch._C._log_api_usage_once("usage_counted")
    return x + 1 if x.sum() > 0 else x


@case(inputs=BOTH)
def checked_by_torch(x):
    """torch._assert of sizes, of numbers and of tensors."""
    torch._assert(x.ndim == 2, f"expected two dimensions, got {x.ndim}")
    torch._assert(x.sum().item() > -100, f"small: {x.sum().item()}")
    torch._assert((x < 100).all(), "large")
    torch._assert(bool(x.sum() > 0), "negative")
    return x + 1


@case(inputs=BOTH)
def followed_by_nobody(x):
    """Neither a mode nor a transformation of functions is there while the program runs."""
    if torch._C._are_functorch_transforms_active() or torch.overrides.has_torch_function((x,)):  # known
        return x * 2  # never
    return x + 1 if x.sum() > 0 else x


@case(inputs=BOTH)
def without_tangents(x):
    """No tensor has a tangent: nothing is differentiated while the program runs."""
    dual = torch.autograd.forward_ad.unpack_dual(x)
    if dual.tangent is None and x.sum() > 0:  # known
        return dual.primal + 1
    return x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def what_is_installed(x):
    """Which packages and environment variables there are is known when the program is compiled"""
    found = importlib.util.find_spec("torch") is not None
    missing = importlib.util.find_spec("no_such_package") is None
    try:
        version = importlib.metadata.version("no-such-package")
    except importlib.metadata.PackageNotFoundError:
        version = importlib.metadata.version("torch").split(".")[0]
    if os.getenv("NO_SUCH_VARIABLE", "0") == "1":  # known
        return x  # never
    return x, found, missing, version


@case(inputs=BOTH, refused="DYCL045")
def what_is_fake(x):
    """The compiler's own modes are around the program: what tells of modes would tell of them"""
    if torch._guards.detect_fake_mode([x]) is None:  # <- refused  # known
        return x + 1
    return x  # never
