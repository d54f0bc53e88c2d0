"""Modules of a ModuleDict chosen by a name that is known only at run time."""

import torch
from torch import nn

from tests.language.harness import case

torch.manual_seed(0)
ROWS = [(torch.tensor([[1.0, 2.0]]),), (torch.tensor([[2.0, 2.0]]),), (torch.tensor([[3.0, 2.0]]),)]


class _Experts(nn.Module):
    """Three experts of different kinds, known by name."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleDict()
        for idx, expert in enumerate([nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2, bias=False)]):
            self.experts[f"expert_{idx}"] = expert


@case(inputs=ROWS)
class NamedByNumber(_Experts):
    """The name is formatted from a run-time number."""

    def forward(self, x):
        idx = int(x[0, 0].item()) - 1
        return self.experts[f"expert_{idx}"](x)


@case(inputs=ROWS)
class NamedByFormat(_Experts):
    """The same by str.format, and through a variable."""

    def forward(self, x):
        name = "expert_{}".format(int(x[0, 0].item()) - 1)
        chosen = self.experts[name]
        return chosen(x), name


@case(inputs=[*ROWS, (torch.tensor([[4.0, 2.0]]),), (torch.tensor([[0.0, 2.0]]),)])
class NoSuchName(_Experts):
    """A name that no module has raises KeyError, as that of a dict."""

    def forward(self, x):
        return self.experts[f"expert_{int(x[0, 0].item()) - 1}"](x)


@case(slow=True, inputs=[(torch.eye(3)[:, :2],), (torch.zeros(3, 2),), (torch.tensor([[1.0, 1.0], [0.0, 0.0], [3.0, 1.0]]),)])
class ExpertsWithTokens(_Experts):
    """The experts that have tokens are walked by number and called by name."""

    def forward(self, x):
        mask = x.sum(dim=1) > 0
        out = x.clone()
        for idx in torch.nonzero(mask, as_tuple=True)[0].tolist():
            out[mask] = self.experts[f"expert_{idx}"](x[mask])
        return out


@case(inputs=ROWS)
class WalkedUnderAName(_Experts):
    """A name taken from the keys, by a run-time position."""

    def forward(self, x):
        names = list(self.experts.keys())
        name = names[int(x[0, 0].item()) - 1]
        return self.experts[name](x) * len(name)


@case(inputs=ROWS)
class NameOfAnotherType(_Experts):
    """A number is no name: KeyError."""

    def forward(self, x):
        return self.experts[int(x[0, 0].item())](x)
