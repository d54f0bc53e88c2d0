"""Parameters that code reaches by other ways than their module's attributes: lists, dicts, closures

Modules of one kind, with weights of their own, share one compiled structure.
"""

import torch
from torch import nn

from tests.language.harness import case, noise

STATES = [(noise(2, 4, seed=seed),) for seed in range(8)]


class InTurn(nn.Module):
    """Runs modules of one kind until one is sure."""

    kind = nn.Identity

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([self.kind() for _ in range(3)])

    def forward(self, x):
        for place, layer in enumerate(self.layers):
            x = torch.tanh(layer(x))
            if x[0, 0] > 0.3:
                return x, place
        return x, -1


class Listed(nn.Module):
    """Keeps its parameters in a list."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4))
        self.both = [self.weight, self.bias]

    def forward(self, x):
        return x @ self.both[0] + self.both[1]


class Named(nn.Module):
    """Keeps its parameters in dicts of tuples, and gives them by keywords."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 8)
        self.table = {"weight": (self.layer.weight,), "bias": [self.layer.bias]}

    def forward(self, x):
        (weight,) = self.table["weight"]
        rows = weight.view(2, 4, 4)[1] * weight.shape[1]
        return nn.functional.linear(x, rows, bias=self.table["bias"][0][:4])


class Enclosed(nn.Module):
    """Keeps a function that was made beside a parameter."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        weight = self.layer.weight
        self.function = lambda x: torch.cat([x, x @ weight.t()], -1) @ torch.cat([weight, weight])

    def forward(self, x):
        return self.function(x)


class Steps(nn.LSTM):
    """A recurrent layer whose own ``forward`` gives its list of weights to the operation."""

    def forward(self, x):
        start = x.new_zeros(1, 1, 4)
        found = torch._VF.lstm(
            x.unsqueeze(0), (start, start), self._flat_weights, self.bias, self.num_layers,
            self.dropout, self.training, self.bidirectional, self.batch_first,
        )  # fmt: skip
        return found[0][0]


@case(inputs=STATES)
class InLists(InTurn):
    """Modules with parameters in lists"""

    kind = Listed


@case(
    inputs=[(noise(rows, 4, seed=rows),) for rows in (2, 1, 3, 5, 8)],
    dynamic_shapes={"x": {0: torch.export.Dim("rows", min=1, max=8)}},
)
class InListsForAnySize(InTurn):
    """The same, for any number of rows"""

    kind = Listed


@case(inputs=STATES)
class InDicts(InTurn):
    """Modules with parameters in dicts, lists and tuples, of which views are taken"""

    kind = Named


@case(inputs=STATES)
class InFunctions(InTurn):
    """Modules with functions that close over a parameter"""

    kind = Enclosed


@case(inputs=STATES)
class InRecurrentLayers(InTurn):
    """Recurrent layers of a class of their own, which reads the list that PyTorch's make"""

    def __init__(self):
        nn.Module.__init__(self)
        self.layers = nn.ModuleList([Steps(4, 4, batch_first=True) for _ in range(3)])


@case(inputs=STATES)
class OfTheCaller(nn.Module):
    """A module that uses a parameter of the one around it, and that one a list of all"""

    def __init__(self):
        super().__init__()
        self.inner = Listed()
        self.others = nn.ParameterList([nn.Parameter(torch.randn(4, 4)) for _ in range(2)])
        self.listed = list(self.others)
        self.inner.both[1] = self.others[0]

    def forward(self, x):
        x = self.inner(x[:, None])
        for weight in self.listed:
            if x.sum() > 0:
                x = x @ weight
        return x, self.listed[0] is self.others[0]
