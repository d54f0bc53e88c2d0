"""Elements of type bfloat16 between decisions: each result is rounded, as in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=BOTH)
def rounded_after_each(x):
    """Numbers beside sums and comparisons are rounded, too; those beside products are not."""
    y = (x.bfloat16() * 0.3 + 1.1).tan()
    z = torch.where(y > 0.1, 0.7 - y, y / 3)
    result = (z % 0.3).float() * 1000, (y + x.long()).double(), (y == 0.1).sum()
    return result if x.sum() > 0 else (x.bfloat16().sigmoid() - 0.1).float() * 1000


@case(inputs=BOTH)
def written_to(x):
    """Results that are written into others."""
    y = x.bfloat16()
    y.add_(1.1).mul_(0.3)
    y[0] = 0.7
    y[:, 1] += 0.1
    y[y > 0.5] = 0.3
    result = y.relu_().float()
    return result * 2 if result.sum() > 1 else result


@case(inputs=BOTH)
def tuples(x):
    """Operators of several results, of which some have other types."""
    values, places = x.bfloat16().sort(1)
    deviation, mean = torch.std_mean(values, 1)
    result = values.float(), places, deviation.float(), mean.float()
    return result if x.sum() > 0 else x.bfloat16().max(1)[0].float()


class Layers(nn.Module):
    """Layers with weights of the type."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 2))
        self.recurrent = nn.GRU(3, 2)
        self.convolution = nn.Conv1d(1, 2, 2)
        self.bfloat16()

    def forward(self, x):
        short = x.bfloat16()
        y = (self.layers(short) + self.recurrent(short[None])[0]).float()
        if y.sum() > 0:
            y = y + self.convolution(y.bfloat16()[:, None]).float().sum(1)
        return F.softmax(y, 1, dtype=torch.bfloat16).float().round(decimals=1)


case(inputs=BOTH)(Layers)


@case(inputs=BOTH)
def kept_across_decisions(x):
    """No array of the host holds the type: single precision stands for it."""
    y = x.bfloat16() * 0.3
    return (y / 3).float() if x.sum() > 0 else y.float()


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def written_across_decisions(x):
    """In place, by other names, through views, in a list that paths have filled."""
    y = x.bfloat16() * 2
    z, row, found = y, y[0], [y.sum(0)]
    if x.sum() > 0:
        z += 1
        found.append(z[1])
    if found[0][0] > 1:
        row *= 2
    return y.float(), z.float(), [each.float() for each in found], y.dtype == torch.bfloat16


@case(inputs=BOTH)
def looked_into_by_the_host(x):
    """Numbers that the host takes from tensors of the type."""
    short = x.bfloat16() * 0.3
    total = short.sum()
    number = total.item()
    rows = short.tolist()
    return (number, rows[0]) if number > 0 else (total.float() + x, max(rows[1]), f"{number:.2f}")


@case(inputs=BOTH, refused_on_host="DYCL405")
def in_a_list_of_the_host(x):
    """Lists whose length is known at run time only hold arrays."""
    found, steps = [], int(x.abs().sum())
    while len(found) < steps:
        found.append(x.bfloat16() * 2)  # <- refused
    return found[-1].float()


@case(
    inputs=[(POSITIVE,), (NEGATIVE[:1],), (torch.cat([MIXED, POSITIVE, MIXED]),)],
    dynamic_shapes={"x": {0: torch.export.Dim("rows", max=9)}},
)
def sizes_read_by_the_host(x):
    """Of a stand-in the sizes are the same."""
    y = x.bfloat16()
    y = y[(y > 0).any(1)]
    if len(y) > 3:
        y = y[1:]
    steps = 0
    while y.shape[0] < 5 and y.size(0) > 0:
        y, steps = torch.cat([y, y[:1]]), steps + 1
    return y.float(), steps, y.shape


class EarlyExit(nn.Module):
    """Layers of the type over a text of any length, until one is sure."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 4), nn.Linear(4, 2)
        layers = (nn.TransformerEncoderLayer(4, 2, 8, batch_first=True) for _ in range(3))
        self.layers = nn.ModuleList(layers)
        self.bfloat16()

    def forward(self, x):
        y = self.first(x.bfloat16())[None]
        for layer in self.layers:
            y = layer(y)
            sure = self.last(y.mean(1)).float().softmax(-1)
            if sure.max() > 0.6:
                break
        if y.shape[1] > 2:
            y = y[:, :2]
        return sure.round(decimals=1), y.shape[1]


case(
    inputs=[(POSITIVE,), (NEGATIVE[:1],), (torch.cat([MIXED, POSITIVE, MIXED]),)],
    dynamic_shapes={"x": {0: torch.export.Dim("rows", max=9)}},
)(EarlyExit)


class KeptInCalls(nn.Module):
    """A buffer and an attribute of the type, between layers of it and calls."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        with torch.no_grad():
            for parameter in self.layer.parameters():
                parameter.copy_((parameter * 8).round() / 8)
        self.register_buffer("mean", torch.zeros(2, 3))
        self.last = None
        self.bfloat16()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        short = x.bfloat16()
        self.mean.mul_(0.5).add_(short)
        if self.last is None or self.mean.sum() > 0:
            self.last = short
        y = self.layer(self.last + self.mean)
        while y.abs().sum() > 8:
            y = y / 2
        return (y.float() * 4).round()


case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE,)])(KeptInCalls)


@case(
    inputs=[(POSITIVE,), (NEGATIVE.repeat(2, 1),), (MIXED[:1],)],
    dynamic_shapes={"x": {0: torch.export.Dim("rows", max=9)}},
)
def of_any_number(x):
    """As many rows as there come, in views as well."""
    y = x.bfloat16()
    weights = (y @ y.t()).softmax(1)
    found = (weights @ y).view(-1).float()
    return found if found.sum() > 0 else x.bfloat16().reshape(3, -1).mean(0).float()


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def repeated_along_dimensions(x):
    """Rows and numbers beside all others, and a norm that is."""
    y = x.bfloat16()
    rows = y[:, None].expand(2, 3, 3) - y[..., None].expand_as(torch.ones(2, 3, 3))
    found = torch.nn.functional.normalize(rows, dim=2).float().round(decimals=1)
    return found if x.sum() > 0 else x.bfloat16()[:1].broadcast_to(2, 3).float() + found.sum()


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused_on_host="DYCL411")
def places_in_images(x):
    """PyTorch rounds each step on the way to a place, which may be the next one then."""
    image = x.half().reshape(1, 1, 2, 3)
    grid = (x * 0.3).half()[:, :2].reshape(1, 1, 2, 2)
    found = torch.nn.functional.grid_sample(image, grid, align_corners=True)  # <- refused
    return found if x.sum() > 0 else -found
