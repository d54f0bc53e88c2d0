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


def constrain_range(size, *, min=None, max=None):
    """``torch.sym_constrain_range``."""
    least = -9223372036854775808 if min is None else min
    most = 9223372036854775807 if max is None else max
    if most < least:
        raise RuntimeError(f"Max must be greater than or equal to min. Got min={least} max={most}")
    if not -9223372036854775808 <= size < 9223372036854775808:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    if not least <= int(size) <= most:
        raise RuntimeError(f"Invalid value range for {int(size)} between [{least}, {most}].")


def constrain_range_for_size(size, *, min=None, max=None):
    """``torch.sym_constrain_range_for_size``."""
    if max is not None and max <= 2:
        raise RuntimeError(
            f"Max value to constrain_range_for_size must be greater than 2. got: {max}"
        )
    constrain_range(size, min=0 if min is None else min, max=max)


def constrain_as_size(symbol, min=None, max=None):
    """``torch._constrain_as_size``."""
    constrain_range_for_size(symbol, min=min, max=max)
