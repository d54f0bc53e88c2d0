"""Dicts asked for tuples of run-time numbers: tables, places of a grid, what is known so far."""

import heapq

import torch
from torch import nn

from tests.language.harness import case, noise

ROWS = [(noise(3, 3, seed=seed),) for seed in range(6)]
COSTS = [(noise(4, 4, seed=seed) / 2,) for seed in range(4)]
COSTS += [(torch.ones(4, 4),), (torch.zeros(4, 4),)]


class Tables(nn.Module):
    """Tables by two bits."""

    def __init__(self):
        super().__init__()
        self.moves = {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 0}
        self.names = {("a", True): "first", ("b", False): "second"}
        self.layers = {(0, 0): nn.Linear(3, 3), (0, 1): nn.Linear(3, 3), (1, 1): nn.Tanh()}

    def key(self, x):
        """Return two bits."""
        return int(x[0, 0] > 0), int(x[0, 1] > 0)


@case(inputs=ROWS)
class TablesOfTheModel(Tables):
    """Numbers, strings and layers by tuples; one of the keys is not there"""

    def forward(self, x):
        key = self.key(x)
        positive = bool(x[0, 2] > 0)
        name = self.names["a" if positive else "b", positive]
        known = self.layers[key](x) if key in self.layers else x
        return self.moves[key], self.moves.get(key[::-1], 7), name, known


@case(inputs=ROWS)
class LayerThatIsNotThere(Tables):
    """A KeyError where no layer is kept under the key"""

    def forward(self, x):
        return self.layers[self.key(x)](x)


@case(inputs=ROWS)
def read_before_written(x):
    """A dict of the call is read by a tuple before anything else is put into it"""
    costs = {(0, 0): 0}
    place = (int(x[0, 0] > 0), 0)
    if place in costs:
        costs[place] += 5
    return costs[(0, 0)], costs[place]


@case(inputs=COSTS, slow=True)
def shortest_way(x):
    """A*: what it costs to come to a place, and where from"""
    start, goal = (0, 0), (3, 3)
    waiting, came_from, costs = [(6, 0, start)], {}, {start: 0}
    while waiting:
        _, cost, place = heapq.heappop(waiting)
        if place == goal:
            way = [place]
            while place in came_from:
                place = came_from[place]
                way.append(place)
            return way[::-1], cost
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            following = (place[0] + down, place[1] + right)
            if 0 <= following[0] < 4 and 0 <= following[1] < 4:
                more = costs[place] + 1 + (3 if x[following[0], following[1]] > 0.1 else 0)
                if x[following[0], following[1]] < 0.6 and more < costs.get(following, 99):
                    costs[following] = more
                    came_from[following] = place
                    left = abs(following[0] - 3) + abs(following[1] - 3)
                    heapq.heappush(waiting, (more + left, more, following))
    return None, -1


@case(inputs=ROWS, refused="DYCL051")
class TensorInAKey(Tables):
    """A tensor in a tuple is another key each time, whatever number it holds"""

    def forward(self, x):
        return self.layers[(x[0, 0] > 0).long(), 1](x)


@case(inputs=ROWS, refused="DYCL051")
class TensorAskedFor(Tables):
    """So it is for get()"""

    def forward(self, x):
        return self.moves.get(((x[0, 0] > 0).long(), 1), 9)


@case(inputs=ROWS, refused="DYCL051")
class TensorAmongKeys(Tables):
    """So it is for `in`"""

    def forward(self, x):
        return ((x[0, 0] > 0).long(), 1) in self.moves
