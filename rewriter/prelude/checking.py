"""``torch._check`` and its kin: an error where a condition does not hold."""

import torch


def check_with(error_type, cond, message):
    """Raise an error of a type unless a condition holds."""
    if not isinstance(cond, bool):
        if isinstance(cond, torch.Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. "
                "For tensor conditions, use torch._check_tensor_all() "
                "to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(
            f"error_type must be a subclass of Exception but not Warning, got {error_type}"
        )
    if message is None:
        raise error_type(
            "Expected cond to be True, but got False. (Could this error "
            "message be improved? If so, please report an enhancement request "
            "to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def check(cond, message=None):
    """``torch._check``."""
    check_with(RuntimeError, cond, message)


def check_index(cond, message=None):
    """``torch._check_index``."""
    check_with(IndexError, cond, message)


def check_value(cond, message=None):
    """``torch._check_value``."""
    check_with(ValueError, cond, message)


def check_type(cond, message=None):
    """``torch._check_type``."""
    check_with(TypeError, cond, message)


def check_not_implemented(cond, message=None):
    """``torch._check_not_implemented``."""
    check_with(NotImplementedError, cond, message)


def check_tensor_all_with(error_type, cond, message=None):
    """Raise an error of a type unless all elements of a tensor are true."""
    if not isinstance(cond, torch.Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if not cond.dtype == torch.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    check_with(error_type, cond.all().item(), message)


def check_tensor_all(cond, message=None):
    """``torch._check_tensor_all``."""
    check_tensor_all_with(RuntimeError, cond, message)


def check_is_size(i, message=None, *, max=None):
    """Raise unless a number can be a size."""
    check(i >= 0, message)
    if max is not None:
        check(i <= max, message)
