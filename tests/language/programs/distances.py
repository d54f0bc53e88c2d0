"""Distances between all rows of two matrices: torch.cdist."""

import torch

from tests.language.harness import case, noise

POINTS = [(noise(7, 4, seed=seed) * 2,) for seed in range(4)]


@case(inputs=POINTS, slow=True)
def nearest_centres(x):
    """Points go to their nearest centre until that changes nothing."""
    centres, labels = x[:3].clone(), torch.full((7,), -1)
    for _ in range(6):
        found = torch.cdist(x, centres).argmin(1)
        if torch.equal(found, labels):
            break
        labels = found
        centres = torch.stack([x[labels == j].sum(0) for j in range(3)]) / 7
    return centres, labels


@case(inputs=POINTS)
def other_norms(x):
    """cdist with other norms than the Euclidean one, and of batches."""
    one, both = torch.cdist(x, x[:2], p=1), torch.stack([x, -x])
    if one.max() > 10:
        return one, torch.cdist(x, x[:2], p=3.0)
    return torch.cdist(x, x[:2], p=float("inf")), torch.cdist(both, both[:, :2])


INFINITE, NOTHING = float("inf"), float("nan")


def _square(first, second):
    return torch.tensor([[first, second], [0.0, 1.0]])  # at import


@case(
    inputs=[
        (_square(number, 2.0), _square(1.0, other))  # at import
        for number in (1.0, INFINITE, NOTHING)  # at import
        for other in (2.0, INFINITE, NOTHING)  # at import
    ]
)
def to_infinity_and_nothing(x, y):
    """The largest difference leaves NaN out; all other norms do not."""
    if y[0, 1] > x[0, 1]:
        x = x + 1
    distances = [torch.cdist(x, y, p=p) for p in (0.0, 1.0, 2.0, 3.0, INFINITE)]
    return tuple(distances)


@case(inputs=[(*points, bound) for points in POINTS for bound in (0.5, 30.0, -30.0)])
def rows_of_run_time(x, bound):
    """PyTorch's formula goes by the number of rows; where that is open it is by differences."""
    chosen = x[x[:, 0] < bound]
    if len(chosen) == 0:
        return torch.cdist(x, x, 2.0, "use_mm_for_euclid_dist_if_necessary"), chosen
    return torch.cdist(x, chosen).amin(1), torch.cdist(chosen, x, p=2.0)


@case(inputs=[(*POINTS[0], 3), (*POINTS[1], 1), (*POINTS[2], 7)])
def centres_counted_at_run_time(x, count):
    """The nearest of so many rows."""
    nearest = torch.cdist(x, x[:count]).argmin(dim=1)
    if nearest[-1] > 0:
        return nearest + 1
    return nearest
