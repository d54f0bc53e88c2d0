"""Places that are out of range, and the error that each way to choose has"""

import torch

from tests.language.harness import case, noise

TABLE = noise(3, 4, 5)
PLACES = [(TABLE, torch.tensor(places)) for places in ([0, 2], [2, 2], [0, 9], [-1, 0])]


@case(inputs=[(x, places.long()) for x, places in PLACES], messages=False)
def rows(x, places):
    """index_select of the first dimension raises IndexError, also for places below zero."""
    return x.index_select(0, places) * 2


@case(inputs=[(x, places.long()) for x, places in PLACES], messages=False)
def columns(x, places):
    """That of the second one raises RuntimeError."""
    return x.index_select(1, places) * 2


@case(inputs=[(x[0], places.int()) for x, places in PLACES], messages=False)
def last_of_two(x, places):
    """So it does where the second is the last one."""
    return torch.index_select(x, -1, places) * 2


@case(inputs=[(x, places.long()) for x, places in PLACES], messages=False)
def behind(x, places):
    """The third is as the first."""
    return x.index_select(2, places) * 2


@case(inputs=[(torch.ones(2, 4), torch.tensor([place])) for place in (1, 4)], messages=False)
def along_the_second_dimension(x, places):
    """index_select raises a RuntimeError there, and an IndexError along others."""
    try:
        x = x.index_select(0, places)
    except IndexError:
        x = x + 1
    try:
        return x.index_select(1, places) * 2
    except IndexError:
        return x  # never
    except RuntimeError:
        return -x
