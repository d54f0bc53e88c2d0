"""``numpy.split`` and ``array_split`` of arrays whose sizes, or parts, are known at run time."""

import numpy as np

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (LARGE,), (ZERO,)]


@case(inputs=FIVE)
def where_values_change(x):
    """Runs of sorted values, parted where one is much larger than the one before."""
    values = np.sort(x.flatten().numpy())
    places = np.where(np.diff(values) > 1)[0] + 1
    groups = np.split(values, places)
    found = []
    for group in groups:
        found.append((len(group), float(group.sum())))
    return found, [part.tolist() for part in np.split(np.arange(6), places)]


@case(inputs=FIVE)
def sections(x):
    """As many parts as a number says, and such as do not divide it."""
    values = x.numpy()
    parts = np.array_split(values.ravel(), int((x > 0).sum()) + 1)
    return len(parts), [part.tolist() for part in parts], np.concatenate(parts)


@case(inputs=FIVE)
def equal_sections(x):
    """split raises where the parts cannot be equal, and where there are none."""
    chosen = x[x > 0].numpy()
    total = [float(part.sum()) for part in np.split(chosen, 3)]
    parts = np.array_split(chosen, int(x.sum()))
    return total, len(parts)


@case(inputs=FIVE)
def rows_between_numbers(x):
    """Places that are numbers of run time, also beyond the end and from behind."""
    count = int((x > 0).sum())
    first, second, third = np.split(x.numpy(), [count - 1, count])
    return first, second.sum(), third.shape[0]


@case(inputs=FIVE, messages=False)
def places_that_are_no_integers(x):
    """Places that are floats are none: numpy raises where there are some."""
    values = x.flatten().numpy()
    return [part.tolist() for part in np.split(values, values[values > 4])]


@case(inputs=FIVE)
def along_other_dimensions(x):
    """Gates side by side in one array, and columns between numbers of run time."""
    gates = np.tanh(np.concatenate([x.numpy(), x.numpy() * 2], axis=1))
    first, second, third = np.split(gates, 3, -1)
    count = int((x > 0).sum())
    left, right = np.split(gates, [count], axis=1)
    wide = np.array_split(gates, 4, axis=1)
    return first + second * third, left, right.shape, [part.tolist() for part in wide]


@case(inputs=FIVE)
def unequal_along_another_dimension(x):
    """So many columns are not parted equally."""
    chosen = x.numpy()[:, : int((x > 0).sum()) % 4]
    return [part.tolist() for part in np.split(chosen, 2, axis=-1)]
