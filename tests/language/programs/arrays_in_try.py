"""Arrays of a size known only at run time in a `try`: much of numpy raises nothing of any of them."""

import numpy as np
import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def classes_that_were_found(x):
    """The classes among what was found are taken in a `try`, as in detectors."""
    found = x[x > 0].round()
    try:
        array = found.cpu().numpy()
        classes, order = np.unique(array), np.argsort(array)
        classes = torch.from_numpy(classes)
        taken = found.new(classes.shape).copy_(classes)
    except Exception:  # never
        return x  # never
    return taken * 2, order, np.sum(array), np.cumsum(array)


@case(inputs=ROWS, refused="DYCL063")
def the_largest_of_none(x):
    """The largest of an empty array is an error."""
    found = x[x > 0].numpy()
    try:
        return x * np.max(found)  # <- refused
    except ValueError:
        return x
