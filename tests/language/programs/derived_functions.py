"""``torch.func``: functions that give the gradient of a function."""

import torch
from torch import nn
from torch.func import grad, grad_and_value, vjp

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH, rounds=True)
def of_a_lambda(x):
    """The gradient of a sum of cubes"""
    return grad(lambda y: (y**3).sum())(x)


@case(inputs=BOTH, rounds=True)
def with_the_value(x):
    """Two gradients, and the value"""
    return grad_and_value(lambda y, z: (y * z).sin().sum(), argnums=(0, 1))(x, x * 2)


@case(inputs=BOTH, rounds=True)
def of_a_derived_function(x):
    """A gradient of a function that computes one, of what it was made of, too"""
    return grad(lambda y: grad(lambda z: (z**4 * y).sum())(y).sum())(x)


class _Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))

    def energy(self, x):
        return self.layers(x).sum()


@case(inputs=BOTH, rounds=True)
class Force(_Energy):
    """Of a method"""

    def forward(self, x):
        return -grad(self.energy)(x)


@case(inputs=BOTH, rounds=True)
class ForceOnEach(_Energy):
    """Of each row"""

    def forward(self, x):
        return torch.vmap(grad(self.energy))(x)


@case(inputs=BOTH, rounds=True)
def back(x):
    """What comes back from several outputs to several inputs"""
    value, pull = vjp(lambda y, z: (y @ z.t()).softmax(-1), x, x * 2)
    return pull(value), value


@case(inputs=BOTH, rounds=True)
def of_what_decides(x):
    """Of a function that decides, keeps a number and gives something else as well"""
    seen = []

    def function(y):
        seen.append(y.sum().item())
        if y.sum() > 0:
            return (y * y).sum(), y + 1
        return (y.detach() * y).sum(), y - 1

    slope, aside = grad(function, has_aux=True)(x)
    return slope, aside, seen


@case(inputs=[*BOTH, (POSITIVE * 20,)], rounds=True)
def in_a_loop(x):
    """Steps until a run-time test ends them"""
    steps = 0
    while x.sum() < 20 and steps < 5:  # known
        x = x - grad(lambda y: ((y - 5) ** 2).sum())(x) * 0.2
        steps += 1
    return x, steps


_SLOPE = grad(lambda y: (y**3).sum())


@case(inputs=BOTH, rounds=True)
def made_before(x):
    """Derived where the module is loaded"""
    return _SLOPE(x)


@case(inputs=BOTH, refused="DYCL045")
def of_several_numbers(x):
    """Of a function that gives several numbers, PyTorch has none"""
    return grad(lambda y: (y**2).sum(1))(x)  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def of_a_tree(x):
    """With regard to what a dict holds"""
    return grad(lambda given: given["x"].sum())({"x": x})  # <- refused


@case(inputs=BOTH, rounds=True)
def all_derivatives(x):
    """A matrix of derivatives, and that of a function that computes a gradient"""
    return (
        torch.func.jacrev(lambda y: (y * y).sum(0).sin())(x),
        torch.func.jacrev(lambda a, y: y * a, argnums=1)(x[0], x[1]),
        torch.func.jacrev(grad(lambda y: (y**3).sum() * y.sum()))(x[0]),
    )


@case(inputs=[(torch.ones(70),)], refused="DYCL045")
def too_many_derivatives(x):
    """More rows than the program would have room for"""
    return torch.func.jacrev(lambda y: y * y)(x)  # <- refused
