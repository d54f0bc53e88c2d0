"""Sizes that come about in tensor code which asks about them: whether anything is there, and how much."""

import torch
import torch.nn.functional as F

from tests.language.harness import case, noise

ROWS = [(s * noise(5, 3, seed=1), bound) for s in (1, -1) for bound in (0.0, -9.0, 9.0, -0.5)]


@case(inputs=ROWS)
def rows_of_a_mask(x, bound):
    """PyTorch asks whether there are rows, in the code that chooses them."""
    chosen = x[x[:, 0] < bound]
    return chosen.logsumexp(-1), chosen.sum()


@case(inputs=ROWS)
def chosen_twice(x, bound):
    """So it does of rows of these rows."""
    chosen = x[x[:, 0] < bound]
    again = chosen[chosen.prod(-1) > 0]
    distances = torch.cdist(again, chosen)
    return again.logsumexp(0), distances, F.cosine_similarity(again, again + 1, dim=-1)


@case(inputs=ROWS)
def places_and_rows(x, bound):
    """Rows at places that were found."""
    places = (x[:, 0] < bound).nonzero().squeeze(1)
    if x.sum() > 0:
        return torch.cdist(x[places], x), places
    return F.normalize(x[places], dim=-1), places


@case(inputs=[(noise(5, 3, seed=1),), (torch.zeros(5, 3),), (noise(5, 3, seed=2) * 100,)])
def what_occurs_more_than_once(x):
    """Counts of distinct elements."""
    found, counts = torch.unique(x.round(), return_counts=True)
    return found[counts > 1].logsumexp(0), counts.float().prod(0)


@case(inputs=ROWS)
def along_the_last_axis(x, bound):
    """Reductions of what may be empty, over axes counted from the end."""
    rows = x[x[:, 0] < bound]
    numbers = rows.sum(-1), rows.amax(-1), rows.mean(-1), rows.norm(dim=-1), rows.std(-1)
    places = rows.argmax(-1), rows.argmin(dim=-1, keepdim=True), (rows > 0).any(-1)
    return numbers, places, rows.sum(-2), rows.square().sum(dim=(-1,), keepdim=True)


@case(inputs=[(s * noise(5, 3, seed=1), count) for s in (1, -1) for count in (2, 0, 3, 1)])
def between_other_axes(x, count):
    """The empty axis lies between others."""
    columns = x[:, :count]
    products = columns[..., None] * columns[:, None]
    if columns.sum() > 0:
        return products.sum(-1), F.normalize(products, dim=-1)
    return products.sum(-2), products.transpose(0, 1).mean(-2)
