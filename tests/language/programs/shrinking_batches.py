"""Batches that shrink in a loop: sizes of content from one iteration to the next."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

FOUR = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=FOUR)
def one_list_many_tensors(x):
    """Tensors indexed by one run-time list have one size."""
    keep = [i for i, row in enumerate(x) if row.sum() > 0]
    totals = x.sum(dim=1)
    rows, kept = x[keep], totals[keep]
    if len(keep) == 0:
        return rows, kept
    return rows * kept.unsqueeze(1), rows.max(dim=0)[0]


@case(inputs=FOUR)
def a_list_that_changes_is_another_index(x):
    """A list that grew since is another index."""
    keep = [i for i, row in enumerate(x) if row.sum() > 0]
    before = x[keep]
    keep.append(0)
    after = x[keep]
    return before, after, len(keep)


@case(inputs=FOUR, slow=True)
def a_list_that_changes_in_a_loop_is_another_index(x):
    """In a loop, an index list that grows is read anew in each iteration."""
    keep = [i for i, row in enumerate(x) if row.sum() > 0]
    total = x[keep].sum()
    while total < 4:
        total = total + x[keep].abs().sum() + len(keep) + 1
        keep.append(1)
    return total, x[keep]


@case(inputs=[*FOUR, (torch.full((2, 3), 5.0),)], slow=True)
def endless_loop_whose_rows_leave(x):
    """Rows leave until none is left, or the loop has run often enough."""
    step = 1
    left = len(x)
    done = []
    while True:
        x = x - 0.5
        open_rows = [i for i, row in enumerate(x) if row.sum() > 0]
        gone = list(set(range(len(x))) - set(open_rows))
        if len(gone) > 0:
            done.extend(x[gone].sum(dim=1).tolist())
        left -= len(gone)
        if left == 0 or step > 4:
            break
        x = x[open_rows]
        step += 1
    return done, step, x.sum()


@case(inputs=FOUR, slow=True)
def as_many_as_are_left(x):
    """topk of a number that shrinks with the rows: never zero, never more than there are."""
    left = 2
    best = x.new_zeros(0)
    while True:
        best = x.reshape(-1).topk(left)[0]
        keep = [i for i, row in enumerate(x) if row.sum() > 1]
        left -= len(x) - len(keep)
        if left == 0:
            break
        x = x[keep] - 1.0
    return best


@case(inputs=FOUR, slow=True)
def what_holds_on_all_paths(x):
    """What is known of sizes on every path is known where they meet."""
    if x.sum() > 0:
        chosen = x[x > 0]
        number = chosen.size(0)
    else:
        chosen = x[x <= 0]
        number = chosen.size(0)
    for _ in range(2):
        if number > 1:
            chosen = chosen[chosen.abs() < 2]
            number = chosen.size(0)
    return chosen, number, torch.zeros(number) + chosen


@case(inputs=FOUR, slow=True)
def size_kept_by_every_iteration(x):
    """Two tensors that keep a common size of content through a loop."""
    chosen = x[x > 0]
    scores = chosen * 2
    while scores.sum() > 1:
        order = scores.argsort()
        chosen, scores = chosen[order], scores[order] / 2
    return chosen + scores
