"""Few objects that the host cannot hold, sorted by run-time numbers: each order is a path."""

import enum

import torch
from torch import nn

from tests.language.harness import case, noise

ROWS = [(noise(3, seed=seed),) for seed in range(8)]


class Action(enum.Enum):
    """What a parser may do."""

    SHIFT = 0
    LEFT = 1
    RIGHT = 2


@case(inputs=[*ROWS, (torch.tensor([-0.5, -0.3, -0.7]),), (torch.tensor([0.1, 0.5, 0.2]),)])
def likeliest_action(x):
    """Members of an enumeration, the likeliest that is allowed"""
    names = []
    for action in sorted(Action, key=lambda each: -x[each.value].item()):
        names.append(action.name)
        if action is not Action.LEFT or x[1].item() > -0.2:
            break
    return names, action.value


@case(inputs=[(noise(1, 3, seed=seed),) for seed in range(8)])
class LayersByScores(nn.Module):
    """Layers in the order of their scores, equal ones as they were"""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3)])

    def forward(self, x):
        scores = [x[0, 0].item(), 0.0, x[0, 1].item()]
        order = sorted(zip(scores, self.layers), key=lambda pair: pair[0], reverse=True)
        for _, layer in order:
            x = layer(x)
        layers = list(self.layers)
        layers.sort(key=lambda layer: 0 if isinstance(layer, nn.Tanh) else int(x[0, 2] > 0))
        return layers[0](x), x


@case(inputs=ROWS, refused="DYCL052")
class TooManyLayers(nn.Module):
    """The orders of six layers are too many paths"""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(6))

    def forward(self, x):
        numbered = list(enumerate(self.layers))
        for _, layer in sorted(numbered, key=lambda pair: x[pair[0] % 3].item()):
            x = torch.tanh(layer(x))
        return x
