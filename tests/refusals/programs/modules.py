"""Modules and objects that are not evaluated."""

import torch
from torch import nn

from tests.refusals.harness import X, refused

NAMES: dict[str, object] = {}
exec("def nowhere(x):\n    return x if x.sum() > 0 else -x", NAMES)


@refused("DYCL047")
def function_without_source(x):
    return NAMES["nowhere"](x)


class Scripted(nn.Module):
    def forward(self, x):
        return x * 2


@refused("DYCL048")
class HoldsScript(nn.Module):
    def __init__(self):
        super().__init__()
        self.script = torch.jit.script(Scripted())

    def forward(self, x):
        return self.script(x)


@refused("DYCL049")
class HookAfterErrors(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.linear.register_forward_hook(
            lambda module, given, result: result * 2, always_call=True
        )

    def forward(self, x):
        try:
            return self.linear(x)
        except ValueError:
            return x


@refused("DYCL050")
class MakesModules(nn.Module):
    def forward(self, x):
        return nn.Linear(3, 3)(x)


@refused("DYCL067")
class DeeperEachTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = torch.zeros(1)

    def forward(self, x):
        self.total = self.total[None]
        return x + self.total.sum()


class Stop(Exception):
    def __init__(self, tensor):
        super().__init__(tensor)


@refused("DYCL068")
def exception_with_a_function_leaves(x):
    if x.sum() > 0:
        raise Stop(lambda: x)
    return x


@refused("DYCL201", X, options={"allow_random": True})
def random_numbers_allowed(x):
    return x + torch.rand(3)


@refused("DYCL203")
def view_from_before_a_decision(x):
    y = x.clone()
    first, rest = y.split([1, 1])
    if x.sum() > 0:
        first += 1
    return first, rest


@refused("DYCL401", dynamic_shapes={"y": {0: torch.export.Dim("rows")}})
def shape_of_no_argument(x):
    return x * 2


@refused("DYCL404")
def memory_layout(x):
    return x.t().relu().as_strided((2, 4), (1, 1))


@refused("DYCL405")
def bfloat16_result(x):
    return x.bfloat16()


@refused("DYCL411")
def most_frequent(x):
    return x.mode().values


@refused("DYCL413")
def averages_of_integers(x):
    return torch.nn.functional.avg_pool1d(x.long(), 2)


@refused("DYCL421", X, [].append)
def method_as_argument(x, keep):
    return x + 1
