"""Control flow and functions that torch itself defines over the user's functions."""

import contextlib
import functools

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def cond_over_lambdas(x):
    """torch.cond is a dynamic if over its two functions."""
    return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,))


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, grad):  # never
        return grad, None  # never


@case(inputs=BOTH, slow=True)
def custom_autograd_function(x):
    """A custom autograd function is its forward when nothing is trained."""
    y = _Round.apply(x, 4.0)
    if y.sum() > 0:
        return y
    return -y


@case(inputs=BOTH)
def check_raises(x):
    """torch._check raises RuntimeError where its condition fails."""
    torch._check(x.sum().item() > 0, lambda: "the sum must be positive")
    return x * 2


@case(inputs=[(POSITIVE, 5), (POSITIVE, 1), (POSITIVE, -9), (NEGATIVE, 5), (POSITIVE, 101)])
def ranges_that_are_promised(x, n):
    """torch._constrain_as_size and sym_constrain_range raise outside the range"""
    torch.sym_constrain_range(n, min=-3)
    torch._constrain_as_size(n, min=2, max=100)
    torch.sym_constrain_range_for_size(n)
    try:
        torch.sym_constrain_range(n, min=5, max=int(x.sum() > 0) * 7)
        torch.sym_constrain_range(float(n) * 1e30)
    except RuntimeError as error:
        return x.new_ones(n), str(error)
    return x  # never


@case(inputs=BOTH)
def range_for_size_of_nothing(x):
    """No bound of 2 or less is taken for a size"""
    torch.sym_constrain_range_for_size(int(x.sum()), max=int(x.sum() > 0) * 90 + 2)
    return x * 2


@case(inputs=BOTH)
def checks_of_other_types(x):
    """torch._check_value, _check_with, _check_tensor_all: the error's type, its message a text."""
    seen = []
    for check in (torch._check, torch._check_value, torch._check_type, torch._check_index):
        try:
            check(bool(x.sum() > 0), lambda: 3)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            seen.append((type(error).__name__, error.args))
    try:
        torch._check_tensor_all(x > 0)
        torch._check(x.sum() > 0)
    except (RuntimeError, TypeError) as error:
        seen.append(str(error))
    torch._check_tensor_all_with(ValueError, x == x, "nothing calls this")
    torch._check_with(KeyError, x.sum().item() > 0, lambda: f"{len(seen)} errors")
    return x, seen


@case(inputs=BOTH)
def chosen_and_asserted(x):
    """torch.sym_ite chooses a number, torch._assert_async raises for 0."""
    rows = x.abs().flatten()[: torch.sym_ite(bool(x.sum() > 0), 1, x.numel())]
    torch._assert_async(x.flatten()[0] != 0)
    torch._assert_async(x.sum() > 0, "the sum must be positive")
    return rows


@case(inputs=BOTH)
def neutral_context_managers(x):
    """nullcontext changes nothing, suppress swallows its exceptions."""
    with contextlib.nullcontext():
        y = x * 2
    with contextlib.suppress(ValueError):
        if y.sum() > 0:
            raise ValueError("positive")
        y = y - 1
    return y


def _doubled(method):
    @functools.wraps(method)  # at import
    def wrapper(*args, **kwargs):  # at import
        return method(*args, **kwargs) * 2

    return wrapper  # at import


@case(inputs=BOTH)
class WrappedForward(nn.Module):
    """forward is wrapped by a decorator of the user's that takes *args."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    @_doubled
    def forward(self, x):
        if x.sum() > 0:
            return self.layer(x)
        return x


class _Clamped(torch.autograd.Function):
    @classmethod
    def forward(cls, ctx, x, least=0.0):
        ctx.least = least
        return x.clamp(min=cls.bound(least))

    @classmethod
    def bound(cls, least):
        return least + 1


@case(inputs=BOTH)
def autograd_function_of_the_class(x):
    """The forward of an autograd function may be a method of the class"""
    return _Clamped.apply(x, 0.5) if x.sum() > 0 else _Clamped.apply(-x)


@case(inputs=[(POSITIVE,)], refused="DYCL042")
def order_of_dimensions_checked(x):
    """torch forgets the check of dim_order where a mode is."""
    return x + 1, x.dim_order(ambiguity_check=True)  # <- refused


@case(inputs=[(torch.ones(2, 2),)], refused="DYCL030")
def product_into_a_tensor(x):
    """torch forgets the ``out`` of chain_matmul where a mode is."""
    made = torch.zeros(2, 2)
    torch.chain_matmul(x, x, out=made)  # <- refused
    return made


@case(inputs=[(POSITIVE,)], refused="DYCL042")
def tensor_by_its_address(x):
    """A tensor laid over the memory of another by address."""
    return torch.from_dlpack(x) + 1  # <- refused


@case(inputs=[(POSITIVE,)], refused="DYCL042")
def capsule_of_a_tensor(x):
    """A capsule with a tensor's address."""
    return torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))  # <- refused


@case(inputs=[(POSITIVE,)], refused="DYCL054")
def text_of_a_named_result(x):
    """The text of what torch.max gives holds tensors."""
    return str(torch.max(x, dim=0))  # <- refused
