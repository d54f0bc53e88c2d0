"""Stores where a mask stands beside slices, integers and index tensors; sizes may be unknown."""

import torch
from torch.export import Dim

from tests.language.harness import case, noise

GRID = torch.arange(12.0).reshape(3, 4) - 5
GRIDS = [(GRID,), (-torch.ones(3, 4),), (torch.ones(3, 4),)]
WIDE = {"x": {1: Dim("wide", max=20)}}
WIDTHS = [(GRID,), (-torch.ones(3, 1),), (torch.zeros(3, 0),), (noise(3, 9),)]
OPEN = {"x": {0: Dim("high", max=20), 1: Dim("wide", max=20)}}
SIZES = [*WIDTHS, (torch.zeros(0, 3),), (noise(7, 5),)]


@case(inputs=GRIDS)
def behind_a_slice(x):
    """y[:, mask], y[1:, mask], y[..., mask] take numbers, rows, and what the mask has chosen."""
    y, mask = x.clone(), x.sum(0) > 0
    y[:, mask] = 0.5
    y[1:, mask] = x[1:, mask] * 2
    y[..., mask] += 1
    y[:, ~mask] = torch.arange(3.0)[:, None]
    y[0, mask] = torch.arange(int(mask.sum())).float()
    return y, y[:, mask]


@case(inputs=GRIDS)
def before_other_parts(x):
    """y[mask, 1:], y[mask, 0], y[mask, -1] -= 1, y[mask, places]."""
    y, mask = x.clone(), x.sum(1) > 0
    y[mask, 1:] = y[mask, :3].softmax(-1)
    y[mask, 0] = 7
    y[mask, -1] -= 1
    y[mask, torch.tensor([2])] = 9
    return y


@case(inputs=GRIDS)
def of_two_dimensions(x):
    """A mask of several dimensions, between others and behind them."""
    y = x.reshape(3, 2, 2).clone()
    mask = y[0] > -4
    y[:, mask] *= 2
    y[1:, mask] = torch.arange(2.0)[:, None]
    z = y[None].repeat(2, 1, 1, 1)
    z[:, y[..., 0] > 0] = 3
    z[0, :, mask] -= 1
    return y, z, z[:, :, mask]


@case(inputs=GRIDS)
def of_other_types(x):
    """Masks choose in masks, integers and doubles."""
    mask = x[0] > 0
    truths, counts, wide = x > 1, x.long(), x.double()
    truths[:, mask] = True
    truths[truths] = False
    counts[:, mask] = 7
    counts[1:, ~mask] += counts[1:, ~mask]
    wide[:, mask] = 0.25
    return truths, counts, wide


@case(inputs=GRIDS)
def through_a_view(x):
    """A store into a view is a store into the tensor."""
    y, mask = x.clone(), x.sum(1) > 0
    y.T[:, mask] = 4
    y[:, 1][mask] = 6
    y[:2][:, x.sum(0) > 0] = 3
    return y


@case(inputs=GRIDS, messages=False)
def too_few_values(x):
    """Another number of columns than the mask chooses is a RuntimeError."""
    y, mask = x.clone(), x.sum(0) > 0
    y[:, mask] = x[:, :2] * 2
    return y


@case(inputs=GRIDS)
def none_at_the_places(x):
    """Index tensors that are spread over each other, of which one is empty."""
    y = x.clone()
    y[torch.tensor([0, 2])[:, None], (x.sum(0) > 0).nonzero()[:, 0]] = 5
    return y


@case(inputs=GRIDS)
def changed_after_another_choice(x):
    """What a mask chose before is no reason to forget a change in place."""
    y, mask = x.clone(), x.sum(1) > 0
    before = x[mask]
    y[mask] += 1
    other = x[mask]
    same = other
    other *= 2
    return y, before, same


@case(inputs=WIDTHS, dynamic_shapes=WIDE, slow=True)
def of_any_width(x):
    """Nobody knows how many columns there are, and how many of them are chosen."""
    y, mask = x.clone(), x.sum(0) > 0
    y[:, mask] = x[:, mask] * 2 + y[..., mask]
    y[0, mask] = y[1, mask]
    y[:, mask] += 1
    z = x.t().clone()
    z[mask, 1:] = z[mask, :2]
    z[mask] = z[mask].relu()
    return y, z


@case(inputs=SIZES, dynamic_shapes=OPEN, slow=True)
def of_any_size(x):
    """Nor how many rows; a mask of elements chooses no more than there are."""
    y, columns, rows = x.clone(), x.sum(0) > 0, x.sum(1) > 0
    y[:, columns] = y[:, columns].exp()
    y[rows] += 1
    y[rows, :1] = 0
    inside = (y > 0) & (y < 2)
    if inside.any():
        y[inside] = y[inside].sqrt()
    return y


HIGH = {"x": {0: Dim("high", max=20)}}


@case(inputs=[(x.t(),) for (x,) in WIDTHS], dynamic_shapes=HIGH, messages=False)
def masks_of_another_size(x):
    """A mask that is not as large as the tensor is an IndexError, also where it has one element."""
    y, mask = x.clone(), x.sum(1) > -100
    y[mask[:4]] = 0.5
    if y.sum() > 3:
        y[mask[:1]] = 2.0
    return y.index_put((mask[:1],), torch.tensor(2.0))
