"""What follows a detector and a recogniser: columns of as many rows as there are, runs of tokens."""

import torch

from tests.language.harness import case, noise

ROWS = [(noise(5, 8, seed=seed).sigmoid(),) for seed in range(3)] + [(torch.zeros(5, 8),)]


@case(inputs=ROWS, slow=True)
def scores_of_classes(x):
    """Columns are scaled in place by another column, in as many rows as passed a test."""
    x = x[x[:, 4] > 0.5]
    if not x.shape[0]:
        return None
    x[:, 5:] *= x[:, 4:5]
    confidence, label = x[:, 5:].max(1, keepdim=True)
    return torch.cat((x[:, :4], confidence, label.float()), 1)[confidence.view(-1) > 0.2]


@case(inputs=ROWS)
def columns_between_others(x):
    """Two columns side by side are written from the columns around them."""
    x = x[x[:, 4] > 0.5]
    x[:, 2:4] -= x[:, 0:2]
    x[:, 6] += x[:, 5]
    return x


@case(inputs=ROWS, refused="DYCL075")
def columns_that_overlap(x):
    """Columns are written from others that include some of them: PyTorch raises, if there are any."""
    x = x[x[:, 4] > 0.5]
    x[:, 2:4] += x[:, 3:5]
    return x


@case(inputs=ROWS)
def runs_without_blanks(x):
    """A greedy CTC decoder: unique_consecutive along the last dimension, counted from the end."""
    best = torch.unique_consecutive(x.argmax(dim=-1), dim=-1)
    return [token for token in best.tolist() if token != 4]


@case(inputs=ROWS)
def unique_rows(x):
    """Unique(dim=-2) of a matrix, as a method, and how often each row occurs."""
    rows, counts = (x > 0.5).long()[:, :2].unique(return_counts=True, dim=-2)
    return rows, counts, rows.shape[0]
