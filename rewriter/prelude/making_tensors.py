"""Functions of torch whose sizes or elements are found at run time, in operations that say so."""

import math

import torch


def one_hot(tensor, num_classes=-1):
    """``F.one_hot``, with PyTorch's errors."""
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    else:
        if tensor.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        if num_classes == -1:
            num_classes = int(tensor.max()) + 1
        elif tensor.max() >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == torch.arange(num_classes)).long()


def stacked(data, dtype):
    """``torch.tensor`` of a nest of numbers and tensors with one element."""
    if isinstance(data, torch.Tensor):
        return data.detach().reshape(()).to(dtype)
    if isinstance(data, (int, float, bool)):
        return torch.tensor(data, dtype=dtype)
    return torch.stack([stacked(item, dtype) for item in data])


def arange(start, end):
    """``torch.arange`` from a known integer to a float of run time."""
    if math.isinf(end) or math.isnan(end):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if end < start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return torch.arange(start, math.ceil(end)).to(torch.get_default_dtype())
