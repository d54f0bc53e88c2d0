"""Classes of tensors that hold other tensors: weights in fewer bits, and pairs."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.testing._internal.two_tensor import TwoTensor

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class _Bytes(torch.Tensor):
    """Weights of 8 bits with a scale for each row; a linear layer computes with what they mean."""

    @staticmethod
    def __new__(cls, integers, scale):
        shape, dtype = integers.shape, scale.dtype  # at import
        return torch.Tensor._make_wrapper_subclass(cls, shape, dtype=dtype)  # at import

    def __init__(self, integers, scale):
        self.integers, self.scale = integers, scale  # at import

    def __tensor_flatten__(self):
        return ["integers", "scale"], None  # never: PyTorch asks

    @classmethod
    def __tensor_unflatten__(cls, inner, context, size, stride):
        return cls(inner["integers"], inner["scale"])  # never: PyTorch asks

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        if function is F.linear:  # known
            x, weight, *bias = arguments
            return F.linear(x, weight.integers * weight.scale[:, None], *bias)
        with torch._C.DisableTorchFunctionSubclass():  # never: PyTorch asks
            return function(*arguments, **(keywords or {}))  # never: PyTorch asks

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments, keywords=None):
        held = arguments[0]  # never: PyTorch asks
        return cls(function(held.integers), function(held.scale))  # never: PyTorch asks


def _layer():
    layer = nn.Linear(3, 2)  # at import
    integers = torch.tensor([[3, -5, 7], [2, 0, -4]], dtype=torch.int8)  # at import
    weight = _Bytes(integers, torch.ones(2) / 3)  # at import
    layer.weight = nn.Parameter(weight, requires_grad=False)  # at import
    layer.bias = nn.Parameter(torch.tensor([0.5, -0.5]))  # at import
    return layer  # at import


LAYER = _layer()
PAIR = TwoTensor(torch.ones(2, 3), torch.zeros(2, 3))


@case(inputs=BOTH)
def weights_of_a_class(x):
    """A layer whose weights are of such a class, which gives plain tensors"""
    y = LAYER(x)
    if y.sum() > 0:
        return y * 2
    return y


@case(inputs=BOTH, refused="DYCL032")
def a_result_of_a_class(x):
    """An operation that gives a tensor of such a class"""
    return (x + PAIR).a  # <- refused


@case(inputs=BOTH, refused="DYCL032")
def made_by_the_program(x):
    """A tensor of such a class is made"""
    return TwoTensor(x, x + 1).b  # <- refused


class _Scaled(nn.Parameter):
    """A parameter that has more to it."""

    @property
    def scale(self):
        """What it is multiplied by."""
        return 3.0


SCALED = _Scaled(torch.ones(3))


@case(inputs=BOTH, refused="DYCL039")
def attributes_of_a_class(x):
    """Parameters of a class of the program's have attributes of that class"""
    return x * SCALED * getattr(SCALED, "scale", 1.0)  # <- refused


@case(inputs=BOTH, refused="DYCL039")
def whether_a_class_has_it(x):
    """Whether there is such an attribute is asked"""
    y = x if not hasattr(SCALED, "scale") else x * 2  # known  # <- refused
    return y


@case(inputs=BOTH)
def values_of_a_class(x):
    """Such a parameter is a tensor like others, where its class has nothing to say"""
    if isinstance(SCALED, _Scaled):  # known
        x = x + 1
    if (x * SCALED).sum() > 0:
        return SCALED.sum() + x
    return x - SCALED
