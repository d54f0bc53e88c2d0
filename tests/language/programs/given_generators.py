"""Library functions that walk once over what they are given: generators, iterators, views of dicts."""

import math
import statistics

import torch

from tests.language.harness import case

ROWS = [torch.tensor(x) for x in ([3, 7, 1, 9, 4], [9, 3, 9, 4, 2], [1, 2, 0, 1, 2])]


@case(inputs=[(x,) for x in ROWS])
def exact_sums(x):
    """`math.fsum` of a generator over a filtered list, of tensors, and of an iterator."""
    kept = [value for value in x.tolist() if value > 2]
    of_kept = math.fsum(value * 0.1 for value in kept)
    return of_kept, math.fsum(x * 0.1), math.fsum(part for part in x), math.fsum(map(float, kept))


@case(inputs=[(x,) for x in ROWS])
def items_are_taken_in_order(x):
    """What a generator does shows; a text is no number."""

    def shown(value):
        print("takes", value)
        return value

    total = math.fsum(shown(value) for value in x.tolist())
    if total > 10:
        return math.fsum(["1", total])
    return total


@case(inputs=[(x,) for x in ROWS])
def values_of_a_dict(x):
    """Values and keys of a dict that grew at run time."""
    weights = {}
    for value in x.tolist():
        weights[value] = weights.get(value, 0) + value * 0.5
    known = {"first": x[0].item(), "second": 0.5}
    sums = math.fsum(weights.values()), math.fsum(known.values())
    return sums, statistics.mean(weights.values()), statistics.fmean(weights.keys())


@case(inputs=[(x,) for x in ROWS])
def statistics_of_generators(x):
    """Means, medians and deviations; of nothing there is none."""
    kept = [value for value in x.tolist() if value > 2]
    try:
        mean = statistics.mean(value * 1.0 for value in kept)
    except statistics.StatisticsError as error:
        return str(error)
    middle = statistics.median_low(value for value in kept)
    return mean, middle, statistics.pstdev(value * 1.0 for value in kept), statistics.mode(iter(kept))


@case(inputs=[(x,) for x in ROWS])
def sets_of_generators(x):
    """A set of a generator, an iterator and a view, where the number of items is known."""
    values = x.tolist()
    by_place = dict(enumerate(values))
    rests = set(value % 3 for value in values)  # noqa: C401
    rests |= set(map(abs, values))
    return sorted(rests), len(set(by_place.values())), len(set(range(3)) - set(iter(values)))
