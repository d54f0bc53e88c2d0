"""numpy's functions of tensors: numpy hands the array that it computed back to the tensor."""

import numpy
import torch


def computed(function, *operands):
    """``function(*operands)``: a ufunc of operands of which one is a tensor."""
    arrays = [each.numpy() if isinstance(each, torch.Tensor) else each for each in operands]
    result = function(*arrays)
    if isinstance(result, tuple):
        return tuple([wrapped(each) for each in result])
    return wrapped(result)


def wrapped(result):
    """``Tensor.__array_wrap__`` of a result: truths are bytes."""
    array = numpy.asarray(result)
    return torch.from_numpy(array.astype(numpy.uint8) if array.dtype == bool else array)


def argmax(a, axis=None):
    """``numpy.argmax``, which asks the tensor."""
    return a.argmax(axis)


def argmin(a, axis=None):
    """``numpy.argmin``, which asks the tensor."""
    return a.argmin(axis)


def argsort(a, axis=-1, kind=None):
    """``numpy.argsort``: PyTorch's own method does not take what numpy hands on."""
    return wrapped(numpy.argsort(a.numpy(), axis, kind))
