"""Elements chosen by places that argmax, topk and others give: each element has one path."""

import torch
from torch import nn

from tests.language.harness import case

ROWS = [
    (torch.tensor([[0.1, 0.9, 0.3], [0.2, 0.1, 0.8]]),),
    (torch.tensor([[0.7, 0.1, 0.2], [0.1, 0.6, 0.3]]),),
    (torch.tensor([[0.1, 0.2, 0.7], [0.9, 0.3, 0.3]]),),
    (torch.tensor([[0.6, 0.1, 0.2], [0.1, 0.9, 0.3]]),),
    (torch.tensor([[float("nan"), 0.2, 0.1], [0.3, float("nan"), 0.4]]),),
]
NAMES = ("cat", "dog", "bird")


class Experts(nn.Module):
    """Three of them."""

    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(3, 2) for _ in range(3))


@case(inputs=ROWS)
class ByArgmax(Experts):
    """The expert of the largest element; nothing is out of range"""

    def forward(self, x):
        return self.experts[int(x[0].argmax())](x)


@case(inputs=ROWS)
class ByTopk(Experts):
    """The two best of each row, by iterations over their places"""

    def forward(self, x):
        _, places = x.topk(2)
        return sum(self.experts[place](row) for row, few in zip(x, places) for place in few)


@case(inputs=ROWS)
class BySorting(Experts):
    """The places of all, along each dimension, by position and by name"""

    def forward(self, x):
        first = torch.sort(x, 0)[1][0, 1].item()
        last = torch.argsort(x, dim=-1)[1, -1].item()
        down = torch.sort(x, dim=0, descending=True).indices[1][2]
        along_rows = x.sort().indices[0, -1]
        chosen = self.experts[first](x), self.experts[last](x), self.experts[down](x)
        return *chosen, self.experts[along_rows](x)


@case(inputs=ROWS)
def names_of_what_is_largest(x):
    """Names for each row, and for all elements together"""
    everything = ("a", "b", "c", "d", "e", "f")
    return [NAMES[row.argmax().item()] for row in x], everything[int(x.argmax())]


@case(inputs=ROWS)
def values_are_no_places(x):
    """Of ``max`` of whole numbers the first result is a value, and may be any number"""
    values, places = (x.nan_to_num() * 10 - 9).round().long().max(1)
    return NAMES[int(values[0]) % 3], NAMES[int(places[0])], int(values[0]) < 0


@case(inputs=ROWS)
def places_in_one_number(x):
    """Of a tensor without dimensions there is one, along the one that is said, too"""
    total = x.sum()
    return NAMES[int(total.argmax(0))], NAMES[total.topk(1)[1].item()], NAMES[total.sort()[1]]


@case(inputs=ROWS)
def places_that_are_written(x):
    """What is written in place afterwards holds other numbers, also through a view."""
    place = x.argmax(1)
    first = place[0]
    place -= 3
    return NAMES[int(first)], NAMES[int(place[1])], int(first) < 0


@case(inputs=ROWS)
def written_under_another_name(x):
    """A view that was made before the write holds what is written."""
    place = x.argmax(1)
    first = place[:1]
    place.sub_(3)
    return NAMES[int(first[0])], int(first[0]) < 0


@case(inputs=ROWS)
def places_written_in_a_loop(x):
    """Read, then written, then read again in the next iteration"""
    place = x.argmax(1)
    names = []
    while place[0] > -3 and len(names) < 4:
        names.append(NAMES[int(place[0])])
        place -= 1
    return names


@case(inputs=ROWS)
def places_of_one_of_two(x):
    """Places of two tensors, of different sizes, on two paths"""
    if x[0, 0] > 0.5:
        place = x.view(-1).argmax()
    else:
        place = x[0].argmax() - 3
    try:
        return NAMES[int(place)]
    except IndexError as error:
        return str(error)


@case(inputs=ROWS)
def calculated_from_places(x):
    """What is calculated from a place may be out of range."""
    place = x[0].argmax()
    try:
        return NAMES[int(place * 2)], NAMES[int(place) - 1]
    except IndexError as error:
        return str(error)


@torch.library.custom_op("places_of_extremes::argmax", mutates_args=())
def argmax(x: torch.Tensor) -> torch.Tensor:
    """Tell something else than torch does under this name."""
    return -x.argmax(1)


@argmax.register_fake
def _(x):
    return x.new_empty(x.shape[:1], dtype=torch.int64)  # never


@torch.jit.script
def sort(x):
    """Tell something else, too."""
    return x, x.argmax(1) - 3  # never


@case(inputs=ROWS, host=False)
def operators_with_names_of_torch(x):
    """A user's operator and a script that have the names of torch's own, and give other numbers"""
    first, second = torch.ops.places_of_extremes.argmax(x)[0], sort(x)[1][1]
    return NAMES[int(first)], NAMES[int(second)]
