"""Parameters made in the call: tensors of another class, with gradients."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def computed_with(x):
    """A parameter computes as its tensor does."""
    weight = nn.Parameter(x * 2, requires_grad=False)
    return x + weight


@case(inputs=BOTH, refused="DYCL039")
def asked_for_its_class(x):
    """It is of another class than other tensors."""
    weight = nn.Parameter(x * 2)
    is_parameter = isinstance(weight, nn.Parameter)  # <- refused
    return x + 1 if is_parameter else x + 2  # known


@case(inputs=BOTH)
def asked_whether_a_tensor(x):
    """It is a tensor all the same."""
    weight = nn.Parameter(x * 2)
    return x + 1 if isinstance(weight, torch.Tensor) else x + 2  # known


@case(inputs=BOTH, refused="DYCL039")
def asked_for_its_type(x):
    """type() tells it from other tensors."""
    weight = nn.Parameter(x * 2)
    is_plain = type(weight) is torch.Tensor  # <- refused
    return x + 1 if is_plain else x + 2  # known


@case(inputs=BOTH, refused="DYCL042")
def asked_for_gradients(x):
    """It requires gradients, wherever it is made."""
    with torch.no_grad():
        weight = nn.Parameter(x * 2)
    has_gradients = weight.requires_grad  # <- refused
    return x + 1 if has_gradients else x + 2  # known


class _Scaled(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = nn.Parameter(weight)

    def forward(self, x):
        self.weight = x
        return self.weight * x  # never


@case(inputs=BOTH, refused="DYCL050")
class TensorForAParameter(nn.Module):
    """Modules take parameters for their parameters only."""

    def forward(self, x):
        return _Scaled(x + 1)(x)


class _Hidden(nn.Module):
    weight = None

    def __init__(self, weight):
        super().__init__()
        self.weight = nn.Parameter(weight)


@case(inputs=BOTH, refused="DYCL050")
class HiddenParameter(nn.Module):
    """An attribute of the class keeps modules from registering a parameter."""

    def forward(self, x):
        return _Hidden(x).weight * x


@case(inputs=BOTH, refused="DYCL039")
def matched(x):
    """A class pattern asks like isinstance."""
    match nn.Parameter(x * 2):
        case nn.Parameter():  # <- refused  # known
            return x + 1
        case _:  # never
            return x + 2  # never


@case(inputs=BOTH)
def matched_by_its_elements(x):
    """A class pattern with an old class looks at the type of the elements."""
    match x:
        case torch.FloatTensor():  # known
            return x + 1
        case _:  # never
            return x + 2  # never


@case(inputs=BOTH)
def others_are_none(x):
    """What is computed, of a parameter too, is none."""
    weight = nn.Parameter(x * 2, requires_grad=False)
    y = x + 1
    y += 1
    with torch.no_grad():
        z = weight * y
    told = isinstance(y, nn.Parameter), type(z) is torch.Tensor, z.__class__ is torch.Tensor
    return z, told


@case(inputs=BOTH, refused="DYCL039")
def the_tensor_that_it_was_made_of(x):
    """Its tensor and a parameter are one value to dycl."""
    y = x + 1
    weight = nn.Parameter(y, requires_grad=False)
    is_parameter = isinstance(y, nn.Parameter)  # <- refused
    return weight, is_parameter


@case(inputs=BOTH, refused="DYCL039")
def written_as_a_parameter(x):
    """It stays one when it is written in place."""
    weight = nn.Parameter(x * 2, requires_grad=False)
    weight += 1
    is_parameter = isinstance(weight, nn.Parameter)  # <- refused
    return weight, is_parameter


@case(inputs=BOTH, refused="DYCL039")
def on_some_paths(x):
    """It is made on some paths."""
    y = x * 2
    if x.sum() > 0:
        y = nn.Parameter(x + 1, requires_grad=False)
    is_parameter = isinstance(y, nn.Parameter)  # <- refused
    return y, is_parameter


@case(inputs=BOTH, refused="DYCL039")
def in_a_list(x):
    """It is taken out of a list by a number of run time."""
    rows = [x + 1, nn.Parameter(x + 2, requires_grad=False)]
    y = rows[int(x.sum() > 0)]
    is_parameter = isinstance(y, nn.Parameter)  # <- refused
    return y, is_parameter
