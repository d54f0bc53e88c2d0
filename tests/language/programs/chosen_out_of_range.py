"""Places that are out of range, and the error that each way to choose has"""

import torch
from torch.export import Dim

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


FOUND = [
    (torch.tensor(rows, dtype=torch.float32), torch.tensor(places).long())  # at import
    for rows, places in (  # at import
        ([[1, 2], [-1, 2], [3, -4]], [0, 1]),
        ([[1, 2], [-1, 2], [3, -4]], [0, 2]),
        ([[1, 2], [1, 2], [3, 4]], [2, -1]),
        ([[-1, 2], [-1, 2], [-3, 4]], [0, 1]),
    )
]
NONE_CHOSEN = (FOUND[-1][0], torch.tensor([]).long())


@case(
    inputs=[*FOUND, NONE_CHOSEN], dynamic_shapes={"x": None, "places": {0: Dim("count", max=4)}}
)
def of_rows_that_were_found(x, places):
    """Rows whose number is known only at run time: where there are none, it is a RuntimeError."""
    found = x[x[:, 0] > 0]
    try:
        return found.index_select(0, places) * 2
    except IndexError:
        return x
    except RuntimeError:
        return -x


@case(inputs=FOUND)
def of_numbers_that_were_found(x, places):
    """Of a tensor of one dimension it is an IndexError in any case."""
    found = x[:, 0][x[:, 0] > 0]
    try:
        return found.index_select(0, places) * 2
    except IndexError:
        return x[:, 1]
    except RuntimeError:  # never
        return -x  # never


@case(inputs=FOUND, messages=False)
def of_rows_that_were_found_told_better(x, places):
    """A clause that says what was wrong, of both errors."""
    found = x[x[:, 0] > 0]
    try:
        return found.index_select(0, places) * 2
    except (IndexError, RuntimeError) as error:
        if places.numel() > 0 and places.min() < 0:  # known
            raise IndexError(f"negative: {places.min().item()}") from error
        if places.numel() > 0 and places.max() >= found.size(0):  # known
            raise IndexError(f"{places.max().item()} above {found.size(0) - 1}") from error
        raise error  # never


@case(inputs=[(x.view(3, 2, 1), places) for x, places in FOUND])
def of_what_has_none(x, places):
    """Along a dimension of no elements."""
    try:
        return x[:, :, :0].index_select(2, places) * 2
    except IndexError:
        return x  # never
    except RuntimeError:
        return -x
