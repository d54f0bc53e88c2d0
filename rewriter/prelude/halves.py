"""Operators between tensors of half precision and numbers known only at run time.

PyTorch computes in single precision and rounds what comes of it; terms of a sum are rounded
before, factors and divisors are not.
"""

import operator

import torch


def in_single_precision(operation, left, right):
    """Compute ``left + right`` and the like, where one of them is a number."""
    is_sum = operation is operator.add or operation is operator.sub
    result = operation(_single(left, is_sum), _single(right, is_sum))
    return result.to(torch.float16)


def _single(operand, is_rounded):
    if isinstance(operand, torch.Tensor):
        return operand.float()
    number = torch.tensor(operand, dtype=torch.float32)
    return number.to(torch.float16).float() if is_rounded else number
