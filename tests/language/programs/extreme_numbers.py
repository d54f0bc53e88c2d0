"""Numbers that operators are not made for: infinities, NaN, the largest ones, doubles."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise


class NormalizedDoubles(nn.Module):
    """Layers that normalize doubles, with and without statistics of their own."""

    def __init__(self):
        super().__init__()
        self.layer, self.known = nn.LayerNorm(3, eps=0.1).double(), nn.BatchNorm1d(2).double()
        self.group, self.instance = nn.GroupNorm(2, 2).double(), nn.InstanceNorm1d(2).double()

    def forward(self, x):
        y = self.layer(x.double())
        if x.sum() > 0:
            y = self.group(y[None]) + self.instance(y[None])
        else:
            y = self.known(y[None] * 3)
        return y, F.batch_norm(y, None, None, training=True)


case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])(NormalizedDoubles)


NAN, INFINITY = float("nan"), float("inf")
PLACES = [
    noise(1, 2, 3, 2),
    noise(1, 2, 3, 2) * 5,
    torch.tensor([0.1, NAN, INFINITY, 0.2, -INFINITY, NAN, 0.5, -0.5, 1e9, -1e12, 3.0, -1e30]).reshape(1, 2, 3, 2),
]
WIDE = torch.cat([PLACES[2], -PLACES[2]], 1)


@case(inputs=[(places,) for places in (*PLACES, -PLACES[2])])
def places_in_images(grid):
    """Places in images that are NaN, infinite or far outside."""
    image = torch.arange(1.0, 13.0).reshape(1, 1, 3, 4)
    found = [
        F.grid_sample(image, grid, mode, padding, align_corners=align)
        for mode in ("bilinear", "nearest", "bicubic")
        for padding in ("zeros", "border")
        for align in (False, True)
    ]
    volume = F.grid_sample(image[None], grid.reshape(1, 1, 2, 2, 3), align_corners=False)
    return torch.cat(found) if grid[0, 0, 0, 0] > 0 else (volume, found[0])


@case(
    inputs=[(places,) for places in (*PLACES, WIDE)],
    dynamic_shapes={"grid": {1: torch.export.Dim("rows", max=9)}},
)
def rows_of_places(grid):
    """As many places as there come."""
    image = torch.arange(1.0, 13.0).reshape(1, 1, 3, 4)
    found = F.grid_sample(image, grid, padding_mode="border", align_corners=False)
    return found if found.sum() > 40 else F.grid_sample(image, grid, align_corners=True)


LEAST = torch.finfo(torch.float32).min
WINDOWS = [
    noise(1, 2, 5, 4).round(),
    torch.cat([WIDE.reshape(1, 1, 6, 4)[:, :, :5], torch.full((1, 1, 5, 4), NAN)], 1),
    torch.cat([torch.full((1, 1, 5, 4), -INFINITY), torch.full((1, 1, 5, 4), LEAST)], 1),
]


@case(inputs=[(x,) for x in (*WINDOWS, -WINDOWS[0], -WINDOWS[1])])
def places_in_windows(x):
    """The place of the last NaN of a window, or else of the first largest element."""
    values, places = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    if values.isnan().any():
        return values, places, F.max_pool2d(x.double(), 2, ceil_mode=True, return_indices=True)
    deep = F.max_pool3d(x, 2, 1, return_indices=True)
    return F.max_unpool2d(values, places, 3, 2, 1, x.shape[2:]), *deep


@case(
    inputs=[(x,) for x in (*WINDOWS, WINDOWS[0][:, :1], WINDOWS[1][:0])],
    dynamic_shapes=({0: "images", 1: torch.export.Dim("channels", max=4)},),
)
def places_in_uneven_windows(x):
    """The same of windows that a number of results asks for, in any number of images."""
    if x.isnan().any():
        return F.adaptive_max_pool2d(x, (3, 3), return_indices=True)
    return F.adaptive_max_pool1d(x[0], 3, return_indices=True)[1]
